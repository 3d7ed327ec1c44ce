import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, refusal, standIn } from '../testing/api.ts'
import { binary, svc, temporaryDirectory, token } from '../testing/svc.ts'

/** The candidates for the last word, without their descriptions. */
async function candidates(words: string[], settings: Parameters<typeof svc>[1] = {}): Promise<string[]> {
  const { code, stdout, stderr } = await svc(['__complete', ...words], settings)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').flatMap(line => line.split('\t')[0] || [])
}

describe('completion', () => {
  it('knows commands, subcommands and their aliases for lists', async () => {
    expect(await candidates(['deplo'])).toEqual(['deploy', 'deployments'])
    expect(await candidates(['deployments', ''])).toEqual(['ls', 'rm'])
    expect(await candidates(['help', 'git', 'hooks', ''])).toEqual(['ls', 'add', 'rm'])
    expect(await candidates(['--project', 'blog', 'roll'])).toEqual(['rollback'])
    expect(await candidates(['frobnicate', ''])).toEqual([])
  })

  it('offers the options of the command, each of them once', async () => {
    expect(await candidates(['stats', '--'])).toEqual(['--project', '--hours', '--json', '--help'])
    expect(await candidates(['stats', '--json', '--hours', '3', '--'])).toEqual(['--project', '--help'])
    expect(await candidates(['--v'])).toEqual(['--version'])
    expect(await candidates(['deploy', '--', '--'])).toEqual([':folders'])
  })

  it('offers the values of options and arguments', async () => {
    expect(await candidates(['env', 'set', '--scope', 'b'])).toEqual(['build', 'both'])
    expect(await candidates(['deployments', '--status=fa'])).toEqual(['--status=failed'])
    expect(await candidates(['completion', ''])).toEqual(['bash', 'zsh', 'fish'])
    expect(await candidates(['token', 'a'])).toEqual(['ai'])
    expect(await candidates(['deploy', 'di'])).toEqual([':folders'])
    expect(await candidates(['env', 'import', ''])).toEqual([':files'])
  })

  it('offers the names of projects, and asks for them once in a minute', async () => {
    const names = ['blog', 'shop', 'Not a name; $(reboot)']
    const api = await standIn({
      'GET /projects?limit=100': { body: { projects: names.map(name => project(name)), next_cursor: null } },
    })
    const configDir = temporaryDirectory()
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, SVC_CONFIG_DIR: configDir }
    expect(await candidates(['deploy', '--project', ''], { env })).toEqual(['blog', 'shop'])
    expect(await candidates(['rm', 's'], { env })).toEqual(['shop'])
    // bash makes three words of `--project=s`.
    expect(await candidates(['deploy', '--project', '=', 's'], { env })).toEqual(['shop'])
    expect(api.calls).toHaveLength(1)

    const [file = ''] = readdirSync(configDir)
    expect(statSync(join(configDir, file)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(configDir, file), 'utf8')).not.toContain(token)
    await candidates(['rm', ''], { env: { ...env, SVC_TOKEN: `svc_${'u'.repeat(43)}` } })
    expect(api.calls).toHaveLength(2)
  })

  it('is silent when nobody is logged in, the token is refused, or the platform is away', async () => {
    expect(await candidates(['rm', ''])).toEqual([])
    const api = await standIn({ 'GET /projects?limit=100': refusal('unauthorized', 'No.', 401) })
    for (const SVC_API_URL of [api.url, 'http://127.0.0.1:1', 'nonsense'])
      expect(await candidates(['rm', ''], { env: { SVC_API_URL, SVC_TOKEN: token } })).toEqual([])
  })
})

/** A directory with an executable `svc`, as a shell finds it. */
function pathWithSvc(): string {
  const dir = temporaryDirectory({ svc: `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n` })
  chmodSync(join(dir, 'svc'), 0o755)
  return `${dir}:${process.env.PATH}`
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

/** Runs a script in a shell, in a directory with a few files. */
function inShell(shell: string, script: string): string[] {
  const cwd = temporaryDirectory({ 'my site/index.html': '', 'my.env': '' })
  const env = { PATH: pathWithSvc(), HOME: cwd }
  return execFileSync(shell, ['-c', script], { cwd, env, encoding: 'utf8' }).trimEnd().split('\n')
}

describe('svc completion', () => {
  it('completes commands, options and files in bash', () => {
    const script = `eval "$(svc completion bash)"
      try() { COMP_WORDS=(svc "$@"); COMP_CWORD=$#; _svc; (IFS='|'; echo "\${COMPREPLY[*]}"); }
      try deplo; try logs --f; try deploy my; try env import my.; try rollback x`
    expect(inShell('bash', script)).toEqual(['deploy|deployments', '--follow', 'my site', 'my.env'])
    expect(inShell('bash', 'eval "$(svc completion bash)"; complete -p svc')).toEqual([
      'complete -F _svc svc',
    ])
  })

  for (const shell of ['zsh', 'fish'])
    if (!isInstalled(shell))
      console.warn(`The test of completion in ${shell} is skipped: it is not installed`)

  it.runIf(isInstalled('zsh'))('completes commands in zsh', () => {
    const script = `compdef() { : }; _describe() { print -l -- "\${(@P)4}" }; _files() { print -- files "$@" }
      eval "$(svc completion zsh)"; words=(svc rollb); CURRENT=2; _svc; words=(svc deploy ''); CURRENT=3; _svc; true`
    expect(inShell('zsh', script)).toEqual(['rollback:Make an earlier deployment live again', 'files -/'])
  })

  it.runIf(isInstalled('fish'))('completes commands in fish', () => {
    const script = 'svc completion fish | source; complete -C "svc rollb"'
    expect(inShell('fish', script)).toEqual(['rollback\tMake an earlier deployment live again'])
  })

  it('takes the shell of the user if none is named, and refuses others', async () => {
    const asked = await svc(['completion', 'zsh'])
    expect(await svc(['completion'], { env: { SHELL: '/bin/zsh' } })).toEqual(asked)
    expect(asked).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^#compdef svc\n/) })
    expect((await svc(['completion'], { env: { SHELL: '/bin/tcsh' } })).stderr).toBe(
      'svc: Usage: svc completion <bash|zsh|fish>\n',
    )
    expect((await svc(['completion', 'tcsh'])).stderr).toMatch(
      /^svc: There is no completion for 'tcsh'\. Usage/,
    )
  })
})
