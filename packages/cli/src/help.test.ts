import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { arity, optionOf } from './command.ts'
import { commands } from './commands.ts'
import { examples } from './examples.ts'
import type { OptionName } from './options.ts'
import { parse } from './parse.ts'
import { svc, temporaryDirectory } from './testing/svc.ts'

/** These commands make up a name if --project is missing. */
const namesProject = ['init', 'import']

/** Arguments for commands that check theirs before they look for the project, or that would read this directory. */
const words: Record<string, string[]> = {
  'env set': ['A=b'],
  'domains branch': ['a.example', 'next'],
  'forms retention': ['contact', 'off'],
  share: ['/dev/null'],
}

/** These take the project that a new token is limited to. Without one they need no project. */
const limitsToken = ['token', 'token create', 'org token']

it('lists --project on the help page of exactly those commands that need a project', async () => {
  const configDir = temporaryDirectory()
  vi.stubEnv('SVC_API_URL', 'http://127.0.0.1:1')
  vi.stubEnv('SVC_CONFIG_DIR', configDir)
  vi.stubEnv('SVC_TOKEN', 't')
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const needed: string[] = []
  for (const [name, command] of Object.entries(commands)) {
    if (!command.load || namesProject.includes(name)) continue
    const args = words[name] ?? Array.from({ length: arity(command).least }, () => 'x')
    const run = await command.load()
    await run({ args, options: {} }).catch(({ message }: Error) => {
      if (message.startsWith('No linked project here.')) needed.push(name)
    })
  }
  const listed = Object.keys(commands).filter(name => has(name, 'project') && !namesProject.includes(name))
  expect(listed.filter(name => !limitsToken.includes(name))).toEqual(needed)
})

const has = (name: string, option: OptionName): boolean => commands[name]!.options?.includes(option) ?? false

describe('svc help', () => {
  it('prints what --help prints', async () => {
    expect(await svc(['help'])).toEqual(await svc(['--help']))
    for (const words of [['deploy'], ['env', 'set'], ['git', 'hooks', 'rm'], ['cron']])
      expect(await svc(['help', ...words])).toEqual(await svc([...words, '--help']))
  })

  it('begins with the ten commands that most people use, and lists none of them twice', async () => {
    const { stdout } = await svc(['help'])
    const [first = '', ...rest] = stdout
      .split('\n\n')
      .filter(part => /^[A-Z]/.test(part) && !part.startsWith('Usage'))
    const names = first.split('\n').map(line => line.trim().split(/ [[<]| {2,}/)[0])
    expect(names).toEqual([
      'Most used',
      ...['login', 'init', 'deploy', 'git connect', 'open'],
      ...['logs', 'env', 'domains', 'deployments', 'rollback'],
    ])
    for (const name of names) expect(rest.join('\n')).not.toMatch(new RegExp(`^  ${name}( [[<]|  )`, 'm'))
  })

  it('fits on a screen, names every command, and says where all of them are explained', async () => {
    const { stdout } = await svc(['help'])
    expect(stdout.split('\n').length).toBeLessThan(50)
    for (const name of new Set(Object.keys(commands).map(name => name.split(' ')[0]!)))
      expect(stdout).toMatch(new RegExp(`[ ,]${name}(?:,|\\n| )`))
    const all = await svc(['help', 'all'])
    expect(all.code).toBe(0)
    for (const text of ['env pull [file]', 'db restore <file>', 'SVC_TIMEOUT']) {
      expect(all.stdout).toContain(text)
      expect(stdout).not.toContain(text)
    }
  })

  it('explains itself', async () => {
    const { code, stdout } = await svc(['help', 'help'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('svc help [command...]') })
  })

  it('ends the page of a command with examples', async () => {
    const { stdout } = await svc(['help', 'domains', 'add'])
    expect(stdout.split('\n\n').at(-1)).toBe(
      'Examples\n  svc domains add www.example.com\n  svc domains add next.example.com --branch next\n',
    )
  })

  it.each(Object.entries(examples))('the examples of %s can be typed like that', async (name, lines) => {
    for (const line of lines) {
      const [typed = ''] = line.split(' > ')
      const words = [...typed.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
      const request = parse(words)
      if (request.kind !== 'run') throw new Error(`'svc ${line}' runs no command`)
      const missing = commands[name]?.candidates && words.length === name.split(' ').length
      if (!missing) expect(request.load).toBe(commands[name]?.load)
      for (const [option, value] of Object.entries(request.options)) {
        const { choices } = optionOf(commands[name], option as OptionName)
        if (choices) expect(choices).toContain(value)
      }
    }
  })

  it('refuses a command that does not exist', async () => {
    expect(await svc(['help', 'depoly'])).toEqual({
      code: 1,
      stdout: '',
      stderr: "svc: Unknown command 'depoly'. See 'svc --help'.\nDid you mean 'svc deploy'?\n",
    })
    expect((await svc(['help', 'cron', 'frobnicate'])).stderr).toMatch(
      /^svc: Unknown subcommand 'frobnicate'/,
    )
  })

  it('names --json among the general options, and other options where they act', async () => {
    expect((await svc(['help'])).stdout).toContain('--json')
    const whoami = (await svc(['help', 'whoami'])).stdout
    for (const option of ['--project', '--hours', '--yes']) expect(whoami).not.toContain(option)
    expect((await svc(['help', 'stats'])).stdout).toContain('--hours <n>')
    for (const name of ['deploy', 'rm', 'share', 'forms rm', 'org rm']) expect(has(name, 'yes')).toBe(true)
  })

  it('works in a directory whose svc.json is broken', async () => {
    const cwd = temporaryDirectory({ 'svc.json': '{' })
    expect(await svc(['help', 'deploy'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })
})
