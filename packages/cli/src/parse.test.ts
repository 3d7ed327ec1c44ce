import { describe, expect, it } from 'vitest'
import { findCommand } from './commands.ts'
import { otherWords } from './other-words.ts'
import { parse } from './parse.ts'

const failure = (...argv: string[]): string => {
  try {
    parse(argv)
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string }
    return [message, hint].filter(Boolean).join('\n')
  }
  return 'no failure'
}

describe('the command line', () => {
  it('takes global options before and after the command', () => {
    for (const argv of [
      ['--project', 'blog', 'deploy', 'dist'],
      ['deploy', '--project=blog', 'dist'],
      ['deploy', 'dist', '--project', 'blog'],
    ])
      expect(parse(argv)).toMatchObject({ kind: 'run', args: ['dist'], options: { project: 'blog' } })
  })

  it('takes what follows -- as arguments', () => {
    expect(parse(['deploy', '--', '--help'])).toMatchObject({ kind: 'run', args: ['--help'] })
  })

  it('knows subcommands and their aliases', () => {
    for (const word of ['rm', 'remove', 'delete'])
      expect(parse(['deployments', word, 'dep_1'])).toMatchObject({ kind: 'run', args: ['dep_1'] })
  })

  it('takes ls and list after every command that shows a list', () => {
    const lists = ['projects', 'deployments', 'domains', 'env', 'forms', 'share', 'cron', 'org']
    for (const list of [...lists, 'git branches', 'git hooks'])
      for (const word of ['ls', 'list'])
        expect(parse([...list.split(' '), word, '--json'])).toMatchObject({
          kind: 'run',
          args: [],
          options: { json: true },
        })
    expect(failure('whoami', 'ls')).toBe("Unexpected argument 'ls'. Usage: svc whoami")
  })

  it('shows help without a command, and marks that it was not asked for', () => {
    expect(parse([])).toMatchObject({ kind: 'help', asked: false })
    expect(parse(['--help'])).toMatchObject({ kind: 'help', asked: true })
    expect(parse(['rollback', '-h'])).toMatchObject({
      kind: 'help',
      asked: true,
      found: { name: 'rollback' },
    })
  })

  it('refuses an unknown command, and suggests one that is near', () => {
    expect(failure('frobnicate')).toBe("Unknown command 'frobnicate'. See 'svc --help'.")
    expect(failure('depoly')).toBe("Unknown command 'depoly'. See 'svc --help'.\nDid you mean 'svc deploy'?")
    expect(failure('rol')).toBe("Unknown command 'rol'. See 'svc --help'.\nDid you mean 'svc rollback'?")
    expect(failure('toString')).toBe("Unknown command 'toString'. See 'svc --help'.")
    expect(failure('deployments rm')).toMatch(/^Unknown command 'deployments rm'/)
  })

  it('suggests the command that does what a word of other tools, or of the dashboard, says', () => {
    expect(failure('builds')).toBe("Unknown command 'builds'. See 'svc --help'.\nDid you mean 'svc git'?")
    expect(failure('build')).toMatch("Did you mean 'svc git build'?")
    expect(failure('secrets', 'set', 'A=1')).toMatch("Did you mean 'svc env'?")
    expect(failure('env', 'add', 'A', '1')).toMatch(/\nDid you mean 'svc env set'\?$/)
    expect(failure('env', 'A=1')).toMatch(/\nDid you mean 'svc env set'\?$/)
    expect(failure('git', 'push')).toMatch(/\nDid you mean 'svc git connect'\?$/)
    for (const [word, command] of otherWords) {
      const found = findCommand(word.split(' '))
      expect(found?.args ?? [], word).toEqual(word.includes(' ') ? [word.split(' ')[1]] : [])
      expect(findCommand(command.split(' ')), word).toMatchObject({ name: command, args: [] })
    }
  })

  it('refuses an unknown option, and suggests one that is near', () => {
    expect(failure('deploy', '--frobnicate')).toBe("Unknown option '--frobnicate'. See 'svc --help'.")
    expect(failure('deploy', '--prod')).toBe(
      "Unknown option '--prod'. See 'svc --help'.\nA deploy goes live unless --branch is given.",
    )
    expect(failure('deploy', '-prod')).toBe(
      "Unknown option '-prod'. See 'svc --help'.\nA deploy goes live unless --branch is given.",
    )
    expect(failure('deploy', '-x')).toBe("Unknown option '-x'. See 'svc --help'.")
    expect(failure('--frobnicate=1')).toBe("Unknown option '--frobnicate'. See 'svc --help'.")
    expect(failure('deploy', '--porject', 'blog')).toBe(
      "Unknown option '--porject'. See 'svc --help'.\nDid you mean '--project'?",
    )
  })

  it('refuses an option that belongs to another command', () => {
    expect(failure('whoami', '--org', 'acme')).toMatch("Unknown option '--org'.")
  })

  it('refuses an unknown option beside --help, too', () => {
    expect(failure('--help', '--frobnicate')).toMatch("Unknown option '--frobnicate'.")
  })

  it('refuses an option without its value, and a value where none belongs', () => {
    expect(failure('deploy', '--project')).toBe("Option '--project' needs a value.")
    expect(failure('deploy', '--project', '--json')).toBe("Option '--project' needs a value.")
    expect(failure('deploy', '--project=')).toBe("Option '--project' needs a value.")
    expect(failure('projects', '--json=yes')).toBe("Option '--json' takes no value.")
  })

  it('prints the usage for missing and for too many arguments', () => {
    expect(failure('deployments', 'rm')).toBe('Usage: svc deployments rm <deployment-id>')
    expect(failure('deployments', 'rm', '')).toBe('Usage: svc deployments rm <deployment-id>')
    expect(failure('deploy', 'a', 'b')).toBe("Unexpected argument 'b'. Usage: svc deploy [dir]")
  })

  it("prints the command's usage for an unknown subcommand", () => {
    expect(failure('deployments', 'frobnicate')).toBe(
      "Unknown subcommand 'frobnicate'. Usage:\n  svc deployments [ls]\n  svc deployments rm <deployment-id>",
    )
  })
})
