"""Memory: Markdown files are the truth, everything else finds its way back to them.

plan     what is looked through and how: the settings as memory needs them
sources, extra_paths     everything that is read: own notes, folders of the person's, past
         conversations
scan, opening    a look at files that reads none; a file opened so that no link leads out
files    which files are memory's own, and a note's text in any encoding
excerpts, contents   lines of a source for a person; what the index keeps of it
forgetting   one fact taken out of its file
lines    where the lines of a file lie in its bytes
chunks, windows  the reference's windows of a text; the units that lie in each
capture  what of a message is worth keeping; secrecy says what never is
facts    the facts in it, in the owner's own words
comparing    one fact in other words; a new value for the same thing
inbox, inbox_log     facts that wait for the owner's yes or no
long_term, edits     MEMORY.md: a line more, a line less, and not a byte beside it
notes    one stored fact as Markdown, and back
units, front_matter  a file cut into bullets, turns and paragraphs; the block at its top
forms    one form for a word in several scripts
segment  text into index terms, a question into the words that matter (English, Chinese,
         Japanese, Korean)
dates    days named in a question or a heading
rows, store  the SQLite index: units, windows, full text, vectors
generations  which index file is current
cache    vectors of texts seen before, kept apart so that a rebuild never embeds again
vectors, rank, search    signals, fusion, and the answer
indexer  brings the index to what the files say
engine   the `sdk.memory.MemoryEngine` of it all
"""
