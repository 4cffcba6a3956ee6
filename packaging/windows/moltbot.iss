; Inno Setup 6: the installer for Windows. NOT RUN YET: written after the documentation
; (https://jrsoftware.org/ishelp/), nobody has built or started it.
;
;   py -3.12 packaging\dev.py package folder
;   iscc /DVersion=0.1.0 packaging\windows\moltbot.iss      -> dist\moltbot-desktop-0.1.0-setup.exe
;
; For one person, without administrator's rights. Data in %USERPROFILE%\.moltbot stays when the
; program is removed.

#ifndef Version
  #error Say the version: iscc /DVersion=0.1.0
#endif
#define Root AddBackslash(SourcePath) + "..\.."
#define Program "Moltbot Desktop.exe"

[Setup]
; Never to be changed: Windows knows an installed program by it.
AppId={{5B0C5F0E-6E0B-4B5C-9C0E-3E0E8C6A7D41}
AppName=Moltbot Desktop
AppVersion={#Version}
AppPublisher=The Moltbot Desktop contributors
DefaultDirName={autopf}\Moltbot Desktop
DefaultGroupName=Moltbot Desktop
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
; PySide6 asks for it.
MinVersion=10.0.17763
LicenseFile={#Root}\resources\LICENSE.txt
SetupIconFile={#Root}\build\package\icons\moltbot.ico
UninstallDisplayIcon={app}\{#Program}
OutputDir={#Root}\dist
OutputBaseFilename=moltbot-desktop-{#Version}-setup
Compression=lzma2
SolidCompression=yes
WizardStyle=modern
; A running one is closed first and started again afterwards.
CloseApplications=yes
RestartApplications=yes

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"

[Tasks]
Name: "path"; Description: "Let me call moltbot-desktop in a terminal"; Flags: unchecked

[Files]
Source: "{#Root}\build\package\folder\moltbot-desktop\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[InstallDelete]
; Parts of an older version must not be found by a newer one.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{group}\Moltbot Desktop"; Filename: "{app}\{#Program}"; AppUserModelID: "moltbot-desktop"

[Registry]
; Started with the computer: the program's own setting writes this value; here it is only taken away.
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: none; ValueName: "moltbot-desktop"; Flags: dontcreatekey uninsdeletevalue
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NotOnPath

[Run]
Filename: "{app}\{#Program}"; Description: "Start Moltbot now"; Flags: nowait postinstall skipifsilent

[Code]
function PathWithout(Path: String): String;
begin
  Result := ';' + Path + ';';
  StringChangeEx(Result, ';' + ExpandConstant('{app}') + ';', ';', True);
  while (Length(Result) > 0) and (Result[1] = ';') do Delete(Result, 1, 1);
  while (Length(Result) > 0) and (Result[Length(Result)] = ';') do Delete(Result, Length(Result), 1);
end;

function NotOnPath: Boolean;
var
  Path: String;
begin
  if not RegQueryStringValue(HKCU, 'Environment', 'Path', Path) then Path := '';
  Result := Pos(';' + ExpandConstant('{app}') + ';', ';' + Path + ';') = 0;
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
var
  Path: String;
begin
  if (Step = usPostUninstall) and RegQueryStringValue(HKCU, 'Environment', 'Path', Path) then
    RegWriteExpandStringValue(HKCU, 'Environment', 'Path', PathWithout(Path));
end;
