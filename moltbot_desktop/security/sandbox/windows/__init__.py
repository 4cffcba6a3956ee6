"""Programs on Windows: started one by one into a Job Object, which ends them all.

`layouts.py` has the structures, `kernel.py` the calls of kernel32, `command_line.py` what a program
is handed as its words and variables, `job.py` starts one, `work.py` carries out a whole order.

A Job Object ends what a command started and limits how much of the computer it takes. It keeps
nothing from the disk or the network, so the policy counts it as no walls at all. What a program has
another one start on its behalf (the task scheduler, a service, Explorer) is not in the job. All of
this ran under Wine, never yet on Windows itself (decision 7).
"""
