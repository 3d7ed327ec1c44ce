// Runs a command of the user in the shell that npm uses for scripts.
import { environment } from '../environment.ts'

/** The command is the user's own, from svc.json, package.json or the command line. */
export const inShell = (command: string): [string, ...string[]] =>
  process.platform === 'win32'
    ? [environment.windowsShell(), '/d', '/s', '/c', `"${command}"`]
    : ['/bin/sh', '-c', command]
