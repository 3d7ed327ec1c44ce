// Questions at a real terminal, which a pipe cannot stand for: Node.js reads from it in another way.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const prompt = fileURLToPath(new URL('./prompt.js', import.meta.url))
const program = `import(${JSON.stringify(prompt)}).then(async ({ confirm, askSecretly }) => {
  const answers = [await confirm('One?', false), await confirm('Two?', true), await askSecretly('Three? '), await confirm('Four?', true)]
  console.log('answers ' + JSON.stringify(answers))
})`

it('one question after another is asked at a terminal, and svc ends after the last', async () => {
  // The command of `script` is for a shell.
  const args = ['--quiet', '--return', '--command', 'exec node -e "$PROGRAM"', '/dev/null']
  const child = spawn('/usr/bin/script', args, { env: { PATH: dirname(process.execPath), PROGRAM: program } })
  const ended = once(child, 'close')
  const typed = [
    ['One? [y/N] ', 'y\n'],
    ['Two? [Y/n] ', 'n\n'],
    ['Three? ', 'secret\r'],
    ['Four? [Y/n] ', '\n'],
  ] as const
  let shown = ''
  let asked = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    const next = typed[asked]
    if (next === undefined || !shown.includes(next[0])) return
    asked++
    child.stdin.write(next[1])
  })
  const [code] = await ended
  expect([code, shown.match(/answers (.*\])/)?.[1]]).toEqual([0, '[true,false,"secret",true]'])
})
