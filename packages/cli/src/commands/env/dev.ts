// `svc dev`: runs the dev server of the project on this computer, with the variables of the project.
import { spawn } from 'node:child_process'
import type { Run } from '../../command.ts'
import { environment as ownEnvironment } from '../../environment.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { count, notice } from '../../output.ts'
import { shellWord } from '../../shell-word.ts'
import { inShell } from '../../site/in-shell.ts'
import { planHere } from '../../site/project-here.ts'
import { targetOf } from './target.ts'
import { readVariables } from './variables.ts'

export const dev: Run = async ({ args, options }) => {
  const name = requireProject(options)
  const command = await commandOf(args)
  const target = { environment: 'preview' as const, ...targetOf(options) }
  const variables = await readVariables(name, target)
  const secrets = variables.filter(({ secret }) => secret)
  const open = variables.filter(({ secret }) => !secret)
  notice(`Running with ${count(open.length, 'variable')} of ${target.environment}: ${command}`)
  if (secrets.length > 0)
    notice(`Secret, so not set: ${secrets.map(({ key }) => key).join(', ')}. Set them in your shell.`)
  const code = await runToEnd(command, Object.fromEntries(open.map(({ key, value }) => [key, value])))
  if (code !== 0) process.exit(code)
}

const scripts = ['dev', 'develop', 'start']

/** What the user named, else the dev script of package.json. */
async function commandOf(args: string[]): Promise<string> {
  if (args.length > 0) return args.length === 1 ? args[0]! : args.map(shellWord).join(' ')
  const { manager, manifest } = (await planHere()).plan
  const script = scripts.find(name => manifest?.scripts.has(name))
  if (manager && script) return `${manager.manager.name} run ${script}`
  throw new Failure(`There is no script ${scripts.join(', ')} in a package.json here.`, {
    hint: "Name the command: 'svc dev -- node server.js'",
  })
}

/** What the shell has set counts more than the project. The command runs other people's code, so it gets no token. */
async function runToEnd(command: string, variables: Record<string, string>): Promise<number> {
  const [shell, ...args] = inShell(command)
  const child = spawn(shell, args, {
    env: { ...variables, ...ownEnvironment.withoutToken() },
    stdio: 'inherit',
    windowsVerbatimArguments: true,
  })
  // Ctrl-C of a terminal reaches the command, too. svc waits for its end.
  const interrupt = () => void (process.stdin.isTTY || child.kill('SIGINT'))
  const end = () => void child.kill('SIGTERM')
  process.on('SIGINT', interrupt).on('SIGTERM', end)
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
  return await ended.finally(() => process.off('SIGINT', interrupt).off('SIGTERM', end))
}
