// The help texts, made from the tables of commands and options.
import { type Command, optionOf, usage } from './command.ts'
import { commands, type Found, subcommands } from './commands.ts'
import { examples } from './examples.ts'
import { type OptionName, optionNames } from './options.ts'
import { bold, dim } from './output.ts'

const environmentVariables: [string, string][] = [
  ['SVC_TOKEN', 'Token to use instead of the stored one'],
  ['SVC_API_URL', 'URL of the API'],
  ['SVC_DASHBOARD_URL', 'URL of the dashboard'],
  ['SVC_CONFIG_DIR', 'Directory of the stored token'],
  ['SVC_TIMEOUT', 'Seconds to wait for an answer (default 30)'],
  ['VERCEL_TOKEN', "Vercel's token, for svc import"],
  ['NETLIFY_AUTH_TOKEN', "Netlify's token, for svc import"],
  ['NO_COLOR', 'No colours'],
]

/** The options that more than one noun has. Every other one is on the help page of its command. */
const generalOptions: OptionName[] = ['project', 'json', 'yes', 'hours', 'version', 'help']

/** The commands that most people use, in the order in which they need them. Help begins with them. */
const mostUsed = [
  ...['login', 'init', 'deploy', 'git connect', 'open'],
  ...['logs', 'env', 'domains', 'deployments', 'rollback'],
]

const groups = [...new Set(Object.values(commands).map(command => command.group))]

/** One screen: what most people need, and the names of the rest. */
export function generalHelp(version: string): string {
  const namesOf = (group: string): [string, string] => {
    const members = Object.keys(commands).filter(name => commands[name]!.group === group)
    return [group, [...new Set(members.map(name => name.split(' ')[0]!))].join(', ')]
  }
  return [
    ...beginning(version),
    section('All commands', groups.map(namesOf), 18),
    section('Options', optionRows(generalOptions)),
    "'svc help <command>' tells more about a command, 'svc help all' lists them all.",
  ].join('\n\n')
}

/** Every command with what it does, and the variables that svc reads. */
export function helpOnAll(version: string): string {
  const sections = groups.map(group => {
    const members = Object.keys(commands).filter(
      name => commands[name]!.group === group && isListed(name) && !mostUsed.includes(name),
    )
    return section(group, commandRows(members))
  })
  return [
    ...beginning(version),
    ...sections,
    section('Options', optionRows(generalOptions)),
    section('Environment', environmentVariables),
    "'svc help <command>' tells more about a command.",
  ].join('\n\n')
}

const beginning = (version: string): string[] => [
  `${bold('svc')} ${dim(version)}  Deploy a site or a server app, get a live URL.`,
  `${bold('Usage')}\n  svc <command> [options]`,
  section('Most used', commandRows(mostUsed)),
]

export function commandHelp({ name, command }: Found): string {
  const own = optionNames.filter(option => command.options?.includes(option))
  const subs = subcommands(name).map((sub): [string, string] => {
    const { summary, aliases } = commands[sub]!
    return [syntax(sub, commands[sub]!), `${summary}${aliases ? ` (${aliases.join(', ')})` : ''}`]
  })
  return [
    `${command.summary}.`,
    `${bold('Usage')}\n  ${usage(name, command)} [options]`,
    ...(command.aliases ? [`Also spelled ${command.aliases.join(' and ')}.`] : []),
    ...(command.details ? [wrap(command.details)] : []),
    ...(subs.length > 0 ? [section('Subcommands', subs)] : []),
    section('Options', optionRows([...own, 'help'], command)),
    ...examplesOf(name),
  ].join('\n\n')
}

const examplesOf = (name: string): string[] => {
  const lines = examples[name]?.map(example => `  svc ${example}`)
  return lines ? [[bold(lines.length > 1 ? 'Examples' : 'Example'), ...lines].join('\n')] : []
}

/** Names of three words, and subcommands of a name that does nothing by itself, are shown by the help of the name above. */
function isListed(name: string): boolean {
  const [parent = '', sub, third] = name.split(' ')
  return sub === undefined || (third === undefined && commands[parent]?.load !== undefined)
}

const commandRows = (names: string[]) =>
  names.map((name): [string, string] => [syntax(name, commands[name]!), commands[name]!.summary])

/** The usage without the program's own name. */
const syntax = (name: string, command: Command) => usage(name, command).slice('svc '.length)

function optionRows(names: OptionName[], command?: Command): [string, string][] {
  return names
    .map(name => ({ name, ...optionOf(command, name) }))
    .map(({ name, short, value, summary }) => [
      `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
      summary,
    ])
}

const INDENT = 34

function section(title: string, rows: [string, string][], indent = INDENT): string {
  const nextLine = `\n${' '.repeat(indent)}`
  const lines = rows.map(([left, right]) => {
    const gap = left.length > indent - 4 ? nextLine : ' '.repeat(indent - 2 - left.length)
    return `  ${left}${gap}${wrap(right, 80 - indent).replaceAll('\n', nextLine)}`
  })
  return [bold(title), ...lines].join('\n')
}

function wrap(text: string, width = 78): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1]!
    if (line && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines.join('\n')
}
