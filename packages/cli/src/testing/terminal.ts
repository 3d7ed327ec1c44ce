// Runs a program at a real terminal, which a pipe cannot stand for: Node.js reads from it in another way.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'

interface Session {
  env?: Record<string, string>
  cwd?: string
  /** What is typed, in this order, when the text before it is shown. */
  typed: readonly (readonly [shown: string, keys: string])[]
}

/** `command` is for a shell. Returns the exit code and all that the terminal showed. */
export async function atTerminal(
  command: string,
  { env, cwd, typed }: Session,
): Promise<{ code: number; shown: string }> {
  const args = ['--quiet', '--return', '--command', command, '/dev/null']
  const child = spawn('/usr/bin/script', args, { cwd, env: { PATH: dirname(process.execPath), ...env } })
  const ended = once(child, 'close')
  let shown = ''
  let [asked, from] = [0, 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    const next = typed[asked]
    const at = next === undefined ? -1 : shown.indexOf(next[0], from)
    if (next === undefined || at === -1) return
    asked++
    from = at + next[0].length
    child.stdin.write(next[1])
  })
  const [code] = await ended
  return { code, shown: shown.replaceAll('\r\n', '\n') }
}
