import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { atTerminal } from './testing/terminal.ts'

const prompt = fileURLToPath(new URL('./prompt.js', import.meta.url))
const program = `import(${JSON.stringify(prompt)}).then(async ({ confirm, askSecretly }) => {
  const answers = [await confirm('One?', false), await confirm('Two?', true), await askSecretly('Three? '), await confirm('Four?', true)]
  console.log('answers ' + JSON.stringify(answers))
})`

it('one question after another is asked at a terminal, and svc ends after the last', async () => {
  const { code, shown } = await atTerminal('exec node -e "$PROGRAM"', {
    env: { PROGRAM: program },
    typed: [
      ['One? [y/N] ', 'y\n'],
      ['Two? [Y/n] ', 'n\n'],
      ['Three? ', 'secret\r'],
      ['Four? [Y/n] ', '\n'],
    ],
  })
  expect([code, shown.match(/answers (.*\])/)?.[1]]).toEqual([0, '[true,false,"secret",true]'])
})

it.each([
  [true, '[Y/n]', 'failed: There was no answer, so nothing more was done.'],
  [false, '[y/N]', 'answered false'],
])(
  'the end of the input never means yes, also where an empty line does (%s)',
  async (byDefault, keys, says) => {
    const program = `import(${JSON.stringify(prompt)}).then(({ confirm }) => confirm('One?', ${byDefault})).then(
    answer => console.log('answered ' + answer),
    error => console.log('failed: ' + error.message))`
    const { shown } = await atTerminal('exec node -e "$PROGRAM"', {
      env: { PROGRAM: program },
      typed: [[`One? ${keys} `, '\x04']],
    })
    expect(shown).toContain(says)
  },
)
