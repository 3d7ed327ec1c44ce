// The API reference: one page for each noun of the API, made from the table that the server validates with.
import { readdirSync } from 'node:fs'
import { openapiOperations } from '@svc/contract'
import { escapeHtml } from './layout.mjs'
import { schemaRows, typeOf } from './schema-rows.mjs'

const intro = `<p>Base address <code>@api@</code>. Send <code>Authorization: Bearer &lt;token&gt;</code>; JSON in, JSON out. Errors are
<code>{ "error": { "code", "message" } }</code>. <a href="/identity#tokens">Tokens</a> come from <code>svc token</code> or the dashboard. The same as
data: <a href="@api@/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>`

/** The titles of nouns whose file name is not a title. */
const titles = {
  admin: 'Operator area',
  ai: 'AI gateway',
  apps: 'Server apps',
  env: 'Environment variables',
  factors: 'Second factors',
  identity: 'Accounts, sign-in and tokens',
  'operator-settings': 'Operator area: settings',
  operations: 'Operator area: operations',
  orgs: 'Organizations',
  shares: 'Temporary shares',
  stats: 'Traffic and audience',
}

/** Pages with path, title, body, headings and sections, the index first. */
export async function referencePages() {
  const operations = [...openapiOperations()].map(({ path, method, operation }) => ({
    ...operation,
    path,
    method: method.toUpperCase(),
    anchor: `${method}${path}`.replaceAll(/[^a-z0-9]+/g, '-'),
  }))
  const nouns = []
  for (const noun of nounFiles()) {
    const keys = await keysOf(noun)
    const title = titles[noun] ?? noun[0].toUpperCase() + noun.slice(1)
    nouns.push({ title, path: `/api/${noun}`, operations: operations.filter(each => keys.has(keyOf(each))) })
  }
  nouns.sort((a, b) => a.title.localeCompare(b.title))
  return [indexPage(nouns), ...nouns.map(nounPage)]
}

const folder = new URL('../../contract/dist/endpoints/', import.meta.url)

const nounFiles = () =>
  readdirSync(folder)
    .filter(name => name.endsWith('.js') && !name.endsWith('.test.js'))
    .map(name => name.slice(0, -'.js'.length))

/** The rows of a noun's table: `GET /projects/{name}`. */
async function keysOf(noun) {
  const tables = Object.values(await import(new URL(`${noun}.js`, folder).href))
  return new Set(tables.flatMap(table => Object.keys(table)).map(key => key.replaceAll(/:(\w+)/g, '{$1}')))
}

const keyOf = ({ method, path }) => `${method} ${path}`

function indexPage(nouns) {
  const lists = nouns.map(({ title, path, operations }) => {
    const rows = operations.map(
      each =>
        `<tr><td><a href="${path}#${each.anchor}"><code>${escapeHtml(keyOf(each))}</code></a></td><td>${words(each.summary)}</td></tr>`,
    )
    return `<h2><a href="${path}">${escapeHtml(title)}</a></h2>${table(rows)}`
  })
  const body = `<h1>svc API reference</h1>${intro}${lists.join('\n')}`
  const sections = [{ heading: 'API reference', anchor: '', text: 'openapi bearer token errors json' }]
  return { path: '/api', title: 'API reference', body, headings: [], sections }
}

function nounPage({ title, path, operations }) {
  const body = `<h1>API: ${escapeHtml(title)}</h1>${intro}${operations.map(entry).join('\n')}`
  const sections = operations.map(each => ({
    heading: keyOf(each),
    anchor: each.anchor,
    text: `${each.summary} ${each.description ?? ''}`,
  }))
  return { path, title: `API: ${title}`, body, headings: [], sections }
}

function entry({ method, path, anchor, summary, description, security, parameters, requestBody, responses }) {
  const asked = parameters.map(({ name, in: place, required, schema }) => ({
    name,
    type: `${typeOf(schema)}, in the ${place}`,
    isRequired: required,
    text: schema.description ?? '',
  }))
  return `<h2 id="${anchor}"><a href="#${anchor}"><code>${method} ${escapeHtml(path)}</code></a></h2>
<p>${words(summary)}</p>${description ? `<p>${words(description)}</p>` : ''}${security.length === 0 ? '<p>No token needed.</p>' : ''}
${asked.length > 0 ? `<h3>Parameters</h3>${fields(asked)}` : ''}
${contents('Body', requestBody?.content)}
${Object.entries(responses).map(answer).join('')}`
}

const answer = ([status, { description, content }]) =>
  status.startsWith('2')
    ? contents(`Answer ${status}`, content)
    : description
        .split('\n\n')
        .map(line => `<p class="fault">${status} ${words(line)}</p>`)
        .join('')

const contents = (title, content = {}) =>
  Object.entries(content)
    .map(([type, { schema }]) => {
      const rows = schemaRows(schema)
      const kind = type === 'application/json' ? '' : ` <code>${escapeHtml(type)}</code>`
      return `<h3>${title}${kind}</h3>${rows.length > 0 ? fields(rows) : `<p><code>${escapeHtml(typeOf(schema))}</code></p>`}`
    })
    .join('')

const fields = rows =>
  table(
    rows.map(
      ({ name, type, isRequired, text }) =>
        `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(type)}${isRequired ? '' : ', optional'}</td><td>${words(text)}</td></tr>`,
    ),
  )

const table = rows => `<div class="wide" tabindex="0"><table><tbody>${rows.join('')}</tbody></table></div>`

/** Text as HTML. Words in backticks become code. */
const words = text => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
