// The examples of docs/ci.md: their commands run in a shell, with the real tool and a real platform.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@svc/contract/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8')
/** Each heading with its YAML. */
const examples = page
  .split('\n## ')
  .filter(section => section.includes('```yaml'))
  .map(section => ({
    name: section.split('\n')[0] ?? '',
    yaml: section.split('```yaml\n')[1]?.split('```')[0] ?? '',
  }))

/** The commands of the steps: lines such as `- run: npm ci`, and the entries of `script:`. */
const commandsOf = (yaml: string): string[] =>
  (yaml.split('script:\n')[1] ?? yaml)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.startsWith('- ') && !line.startsWith('- uses:'))
    .map(line => line.slice(2).replace(/^run: /, ''))

let machine: Machine
let svcd: Svcd
beforeAll(async () => {
  machine = await Machine.make()
  svcd = await machine.start()
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

test('the page has an example for each CI that it names', () => {
  expect(examples.map(({ name }) => name)).toEqual(['GitHub Actions', 'GitLab CI', 'Forgejo Actions'])
  for (const { yaml } of examples) expect(commandsOf(yaml)).toHaveLength(4)
})

test.each(examples)(
  'the commands for $name publish main, and a preview of another branch',
  async ({ name, yaml }) => {
    const project = name.toLowerCase().replaceAll(' ', '-')
    const url = `http://127.0.0.1:${svcd.port}`
    const token = await machine.token(project)
    await createClient({ baseUrl: url, token })('POST /projects', { body: { name: project } })
    const shell = new Shell({})
    onTestFinished(() => shell.remove())
    const script = commandsOf(yaml).join('\n').replaceAll('my-site', project)
    for (const branch of ['main', 'next']) {
      shell.write({
        'package.json': JSON.stringify({
          name: 'site',
          scripts: { build: `mkdir -p dist && echo ${branch} > dist/index.html` },
        }),
        'package-lock.json': JSON.stringify({
          name: 'site',
          lockfileVersion: 3,
          packages: { '': { name: 'site' } },
        }),
      })
      mkdirSync(path.join(shell.home, 'prefix'), { recursive: true })
      const env = {
        PATH: `${path.join(shell.home, 'prefix/bin')}:${process.env.PATH}`,
        HOME: shell.home,
        npm_config_prefix: path.join(shell.home, 'prefix'),
        CI: 'true',
        BRANCH: branch,
        SVC_API_URL: url,
        SVC_TOKEN: token,
      }
      await run('sh', ['-e', '-c', script], { cwd: shell.home, env })
    }
    const textAt = async (label: string) =>
      (await visit(`http://${label}.localhost:${svcd.port}`, '/')).body.toString().trim()
    expect(await textAt(project)).toBe('main')
    expect(await textAt(`next--${project}`)).toBe('next')
  },
)
