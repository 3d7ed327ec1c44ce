// The reference of the command line: one page for each command with its subcommands, made from the tables that svc's own help shows.
import { optionOf, usage } from '@svc/cli/dist/command.js'
import { commands } from '@svc/cli/dist/commands.js'
import { examples } from '@svc/cli/dist/examples.js'
import { optionNames } from '@svc/cli/dist/options.js'
import { escapeHtml } from './layout.mjs'

const intro =
  '<p>At a terminal <code>svc help &lt;command&gt;</code> shows the same. How svc is installed and what it does by itself: <a href="/cli">svc, the command-line tool</a>.</p>'

/** Pages with path, title, body, headings and sections, the index first. */
export function commandPages() {
  const names = [...new Set(Object.keys(commands).map(firstWord))]
  return [indexPage(), ...names.map(commandPage)]
}

const firstWord = name => name.split(' ')[0]
const pathOf = name => `/commands/${firstWord(name)}`
const anchorOf = name => name.replaceAll(' ', '-')

function indexPage() {
  const lists = [...byGroup(Object.keys(commands))].map(([group, names]) => {
    const rows = names.map(
      name =>
        `<tr><td><a href="${pathOf(name)}#${anchorOf(name)}"><code>${escapeHtml(usage(name, commands[name]))}</code></a></td><td>${escapeHtml(commands[name].summary)}</td></tr>`,
    )
    return `<h2>${escapeHtml(group)}</h2>${table(rows)}`
  })
  const body = `<h1>Commands of svc</h1>${intro}${lists.join('\n')}`
  const sections = [
    { heading: 'Commands of svc', anchor: '', text: 'svc command line reference all commands' },
  ]
  return { path: '/commands', title: 'Commands', body, headings: [], sections }
}

function commandPage(word) {
  const names = Object.keys(commands).filter(name => firstWord(name) === word)
  const body = `<h1>svc ${escapeHtml(word)}</h1>${names.map(entry).join('\n')}${intro}`
  const sections = names.map(name => ({
    heading: `svc ${name}`,
    anchor: anchorOf(name),
    text: `svc ${name} ${commands[name].summary}`,
  }))
  return { path: pathOf(word), title: `svc ${word}`, body, headings: [], sections }
}

function entry(name) {
  const command = commands[name]
  const { summary, details, aliases } = command
  const options = optionNames.filter(option => command.options?.includes(option))
  return `<h2 id="${anchorOf(name)}"><a href="#${anchorOf(name)}"><code>${escapeHtml(usage(name, command))}</code></a></h2>
<p>${escapeHtml(summary)}.${details ? ` ${escapeHtml(details)}` : ''}</p>
${aliases ? `<p>Also spelled ${aliases.map(alias => `<code>${escapeHtml(alias)}</code>`).join(', ')}.</p>` : ''}
${options.length > 0 ? `<h3>Options</h3>${table(options.map(option => optionRow(command, option)))}` : ''}
${examples[name] ? `<h3>Examples</h3><pre><code>${examples[name].map(line => escapeHtml(`svc ${line}`)).join('\n')}</code></pre>` : ''}`
}

function optionRow(command, name) {
  const { short, value, summary } = optionOf(command, name)
  const written = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
  return `<tr><td><code>${escapeHtml(written)}</code></td><td>${escapeHtml(summary)}</td></tr>`
}

function byGroup(names) {
  const groups = new Map()
  for (const name of names) {
    const { group } = commands[name]
    groups.set(group, [...(groups.get(group) ?? []), name])
  }
  return groups
}

const table = rows => `<div class="wide" tabindex="0"><table><tbody>${rows.join('')}</tbody></table></div>`
