// Runs git in a directory. It is used for settings only, which runs no code of the repository.
import { execFile } from 'node:child_process'

/** What git prints. Undefined if it fails, prints nothing, or is not installed. */
export function git(dir: string, ...args: string[]): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile('git', args, { cwd: dir, timeout: 5000 }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim() || undefined),
    )
  })
}
