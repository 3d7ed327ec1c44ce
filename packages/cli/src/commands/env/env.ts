// Environment variables of a project: list, set, import from a dotenv file, remove.
import { createReadStream } from 'node:fs'
import type { SparseClient } from '@svc/contract/client'
import { DotenvError, isInjected, parseDotenv, type Variable, variableProblem } from '@svc/contract/dotenv'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure, fileFailure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'
import { bold, count, dim, notice, print, printJson, printTable } from '../../output.ts'
import { awaitRestart } from '../../restart.ts'
import { connect, required } from '../../session.ts'
import { decodeText, readAtMost, readStdin } from '../../stdin.ts'
import { targetOf } from './target.ts'

const scopes = ['runtime', 'build', 'both'] as const
type Scope = (typeof scopes)[number]

export const listEnv: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/env', { params: { name } })
  if (options.json) return printJson(answer)
  const env = required(answer, 'env')
  if (env.length === 0) return print("No variables yet. 'svc env set KEY=value' sets the first one.")
  const hides = process.stdout.isTTY && !options.show
  const cell = (value: string) => (hides ? beginning(value) : oneLine(value))
  printTable(env.map(it => [bold(it.key), cell(it.value ?? ''), dim(marks(it))]))
  if (hides && env.some(({ value }) => value))
    notice("Only the first characters of values are shown. 'svc env --show' shows them whole.")
}

export const setEnv: Run = async ({ args, options }) => {
  const name = requireProject(options)
  const scope = scopeOf(options)
  const target = targetOf(options)
  const secret = options.secret ? { secret: true } : {}
  const variables =
    args[1] === '-' && args.length === 2 ? [await fromStdin(args[0] ?? '')] : args.map(fromArgument)
  const call = connect()
  const changes: Stored[] = []
  for (const { key, value } of variables) {
    const stored = await call('PUT /projects/:name/env/:key', {
      params: { name, key },
      body: { value, scope, ...setTarget(target), ...secret },
    })
    requireKnown(stored, key, target.environment ?? target.branch ?? options.secret)
    print(`${['Set', bold(key), marks(stored)].filter(Boolean).join(' ')}.`)
    changes.push(stored)
  }
  await tellRestart(call, name, changes, undoSet)
}

export const importEnv: Run = async ({ args: [file = '.env'], options }) => {
  const name = requireProject(options)
  const scope = scopeOf(options)
  const all = await readDotenv(file)
  const skipped = all.filter(({ key }) => isInjected(key))
  const wanted = all.filter(({ key }) => !isInjected(key))
  const call = connect()
  const changes: Stored[] = []
  for (const { key, value } of wanted)
    changes.push(
      await call('PUT /projects/:name/env/:key', {
        params: { name, key },
        body: { value, scope },
      }),
    )
  if (skipped.length > 0)
    notice(`Skipped, since a platform sets them: ${skipped.map(({ key }) => key).join(', ')}`)
  print(`Imported ${count(wanted.length, 'variable')} from ${file}.`)
  await tellRestart(call, name, changes, undoSet)
}

export const removeEnv: Run = async ({ args: [key = ''], options }) => {
  const name = requireProject(options)
  const call = connect()
  const removed = await call('DELETE /projects/:name/env/:key', {
    params: { name, key },
    query: targetOf(options),
  })
  print(`Removed ${bold(key)}.`)
  await tellRestart(call, name, [removed], `To undo: svc env set ${key}=<value>`)
}

interface Stored {
  restarting?: boolean | null | undefined
}

const undoSet = "To undo: 'svc env set <KEY=value>' with the former value, or 'svc env rm <KEY>'."

/** Says what the change means for the app, and waits for its restart. Fails if the app does not start. */
async function tellRestart(call: SparseClient, name: string, changes: Stored[], undo: string): Promise<void> {
  if (changes.some(({ restarting }) => restarting)) {
    notice('The running app restarts with the change, without downtime.')
    if ((await awaitRestart(call, name, undo)) === 'done') notice('It is up.')
  } else if (changes.some(({ restarting }) => restarting === false))
    notice('The app does not run now. It uses the change at its next start.')
}

function scopeOf({ scope }: OptionValues): Scope | undefined {
  if (scope === undefined) return undefined
  const known = scopes.find(other => other === scope)
  if (!known) throw new Failure(`Unknown scope '${scope}'. Use runtime, build or both.`)
  return known
}

/** A server of an older version ignores the fields that it does not know. */
function requireKnown(stored: Marked, key: string, asked: unknown): void {
  if (asked !== undefined && !stored.environments)
    throw new Failure(
      `The platform is of an older version: it has set ${key} for both environments, and not as a secret. To undo: svc env rm ${key}`,
    )
}

const setTarget = ({ environment, branch }: ReturnType<typeof targetOf>) => ({
  ...(environment && { environments: [environment] }),
  ...(branch !== undefined && { branch }),
})

interface Marked {
  scope?: Scope | null | undefined
  environments?: (string | null)[] | null | undefined
  branch?: string | null | undefined
  secret?: boolean | null | undefined
}

/** Everything about a variable that is not as usual. */
function marks({ scope, environments, branch, secret }: Marked): string {
  const only = environments?.length === 1 ? environments[0] : undefined
  const words = [
    scope === 'runtime' ? undefined : scope,
    branch ? `branch ${oneLine(branch)}` : only,
    secret ? 'secret' : undefined,
  ]
  return words.flatMap(word => (word ? [`[${word}]`] : [])).join(' ')
}

function fromArgument(argument: string): Variable {
  const at = argument.indexOf('=')
  if (at < 1)
    throw new Failure(
      `'${argument}' is not KEY=value. Usage: svc env set <KEY=value...>, or svc env set <KEY> -`,
    )
  return checkedVariable({ key: argument.slice(0, at), value: argument.slice(at + 1) })
}

async function fromStdin(key: string): Promise<Variable> {
  checkedVariable({ key, value: '' })
  const what = `the value of ${key}`
  const tooLong = `The value of ${key} is over the limit of 64 KB.`
  return checkedVariable({ key, value: await readStdin({ what, maxBytes: limits.envValueBytes, tooLong }) })
}

/** Throws if the API would refuse the variable. All are checked before the first is sent. */
function checkedVariable(variable: Variable): Variable {
  const problem = variableProblem(variable)
  if (problem) throw new Failure(`${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`)
  return variable
}

/** All values of a project have at most 1 MB together. The rest is for names, quotes and comments. */
const maxFileBytes = 4 * limits.envBytes

async function readDotenv(file: string): Promise<Variable[]> {
  const bytes = await readAtMost(createReadStream(file), maxFileBytes).catch(error => {
    throw fileFailure('read', file, error)
  })
  if (!bytes)
    throw new Failure(
      `${file} is larger than 4 MB. Is it a dotenv file? All values have at most 1 MB together.`,
    )
  try {
    return parseDotenv(decodeText(bytes, file))
  } catch (error) {
    if (error instanceof DotenvError) throw new Failure(`${file}, ${error.message}.`)
    throw error
  }
}

/** Writes a value on one line, without control characters and characters that change the direction of text. */
const oneLine = (value: string): string =>
  value.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, char => escapes[char] ?? codeOf(char))

/** Enough to recognise a value, too little to use it: at most a quarter of it, and at most four characters. */
function beginning(value: string): string {
  const chars = [...value]
  const shown = chars.slice(0, Math.min(4, Math.floor(chars.length / 4)))
  return chars.length === 0 ? '' : `${oneLine(shown.join(''))}…`
}

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const codeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
