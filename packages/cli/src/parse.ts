// Parses the command line strictly: an unknown command or option is refused before anything happens.
import { parseArgs } from 'node:util'
import { nearest } from '@svc/contract/nearest'
import { arity, type Command, type Run, usage } from './command.ts'
import { commands, type Found, findCommand, subcommands } from './commands.ts'
import { Failure } from './failure.ts'
import { type OptionName, type OptionValues, option, optionNames, options } from './options.ts'
import { otherOptions, otherWords } from './other-words.ts'

type Request =
  | { kind: 'version' }
  | { kind: 'help'; found: Found | undefined; asked: boolean; all?: boolean }
  | { kind: 'run'; load: () => Promise<Run>; args: string[]; options: OptionValues }

export function parse(argv: string[]): Request {
  const { tokens, positionals } = parseArgs({ args: argv, options, strict: false, tokens: true })
  const found = commandOf(positionals)
  const values = readOptions({ argv, tokens }, found)

  if (values.version) return { kind: 'version' }
  if (values.help || !found || onlyGroups(found.command))
    return { kind: 'help', found, asked: values.help === true }
  const { load, builtIn } = found.command
  checkSurplus(found)
  const missing = lacksArguments(found)
  if (missing && !found.command.candidates) throw usageFailure(found)
  if (missing) return { kind: 'run', load: async () => askForArgument(found), args: [], options: values }
  if (builtIn === 'version') return { kind: 'version' }
  if (!load && found.args[0] === 'all') return { kind: 'help', found: undefined, asked: true, all: true }
  if (!load) return { kind: 'help', found: commandOf(found.args), asked: true }
  return { kind: 'run', load, args: found.args, options: values }
}

/** The command that the words name. `undefined` without words. Fails if there is no such command. */
function commandOf(words: string[]): Found | undefined {
  const found = findCommand(words)
  if (!found && words[0] !== undefined) throw unknownCommand(words[0])
  if (found && onlyGroups(found.command) && found.args[0]) throw unknownSubcommand(found.name, found.args[0])
  return found
}

/** Whether only the subcommands of it do something. */
const onlyGroups = ({ load, builtIn }: Command): boolean => !load && !builtIn

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

function readOptions(
  { argv, tokens }: { argv: string[]; tokens: Token[] },
  found: Found | undefined,
): OptionValues {
  const allowed = optionNames.filter(name => option(name).global || found?.command.options?.includes(name))
  const values: Record<string, string | boolean> = {}
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const name = token.name as OptionName
    if (!allowed.includes(name)) throw unknownOption(asTyped(argv[token.index], token.rawName), allowed)
    values[name] = option(name).type === 'string' ? stringValue(token) : booleanValue(token)
  }
  return values as OptionValues
}

/** `-prod` is four short options to the parser, and one word to the person who typed it. */
const asTyped = (word = '', flag: string): string => (/^-\w{2,}$/.test(word) ? word : flag)

type OptionToken = Extract<Token, { kind: 'option' }>

function stringValue({ rawName, value, inlineValue }: OptionToken): string {
  // In `--project --json` the value is missing. A value that begins with a dash is written as `--project=-x`.
  if (!value || (!inlineValue && value.startsWith('-') && value !== '-'))
    throw new Failure(`Option '${rawName}' needs a value.`)
  return value
}

function booleanValue({ rawName, value }: OptionToken): true {
  if (value !== undefined) throw new Failure(`Option '${rawName}' takes no value.`)
  return true
}

function checkSurplus({ name, command, args }: Found): void {
  const extra = args[arity(command).most]
  const subs = subcommands(name)
  if (extra !== undefined && subs.length > 0) throw unknownSubcommand(name, extra)
  if (extra !== undefined) throw new Failure(`Unexpected argument '${extra}'. Usage: ${usage(name, command)}`)
}

function lacksArguments({ command, args }: Found): boolean {
  const { least } = arity(command)
  return args.length < least || args.slice(0, least).includes('')
}

const usageFailure = ({ name, command }: Found, hint?: string): Failure =>
  new Failure(`Usage: ${usage(name, command)}`, { hint })

const askForArgument =
  (found: Found): Run =>
  async invocation => {
    const [{ chooseArgument, listOf }, candidates, command] = await Promise.all([
      import('./missing-argument.ts'),
      found.command.candidates?.(),
      found.command.load?.(),
    ])
    const choices = await candidates?.(invocation)
    const chosen = choices && (await chooseArgument(choices))
    if (chosen === undefined) throw usageFailure(found, choices && listOf(choices))
    await command?.({ ...invocation, args: [chosen] })
  }

function unknownCommand(word: string): Failure {
  const names = Object.keys(commands).filter(name => !name.includes(' '))
  const near = otherWords.get(word) ?? nearest(word, names)
  return new Failure(`Unknown command '${word}'. See 'svc --help'.`, {
    hint: near && `Did you mean 'svc ${near}'?`,
  })
}

function unknownSubcommand(name: string, word: string): Failure {
  const all = [...(commands[name]!.load ? [name] : []), ...subcommands(name)]
  const lines = all.map(sub => `  ${usage(sub, commands[sub]!)}`)
  const near = nearest(
    word,
    subcommands(name).map(sub => sub.slice(name.length + 1)),
  )
  const isVariable = name === 'env' && word.includes('=')
  const meant = isVariable ? 'env set' : (otherWords.get(`${name} ${word}`) ?? (near && `${name} ${near}`))
  return new Failure(`Unknown subcommand '${word}'. Usage:\n${lines.join('\n')}`, {
    hint: meant && `Did you mean 'svc ${meant}'?`,
  })
}

function unknownOption(flag: string, allowed: OptionName[]): Failure {
  const long = flag.replace(/^-(?=\w{2,})/, '--')
  const near = nearest(
    long,
    allowed.map(name => `--${name}`),
  )
  return new Failure(`Unknown option '${flag}'. See 'svc --help'.`, {
    hint: otherOptions.get(long) ?? (near && `Did you mean '${near}'?`),
  })
}
