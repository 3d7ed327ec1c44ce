// Finds the git commit of a directory.
import { execFile } from 'node:child_process'

export function gitSha(dir: string): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile('git', ['rev-parse', 'HEAD'], { cwd: dir, timeout: 5000 }, (error, stdout) => {
      const sha = stdout.trim()
      resolve(!error && /^[0-9a-f]{40,64}$/.test(sha) ? sha : undefined)
    })
  })
}
