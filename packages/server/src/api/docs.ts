// The API reference at docs.<domain>, made from the same document as /openapi.json.
import type { Platform } from '../core/base/platform.ts'
import { escapeHtml } from '../lib/html.ts'
import { makeOpenapi } from './openapi-document.ts'
import { answerPage } from './own-page.ts'
import type { HttpHandler } from './server.ts'

interface Operation {
  summary: string
  description?: string
  tags: string[]
  security: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: { description?: string } }[]
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: Record<string, { description: string; content: Record<string, { schema: unknown }> }>
}

export function createDocs(platform: Pick<Platform, 'urls' | 'version'>): HttpHandler {
  let made: Promise<string> | undefined
  return async (_req, res) => {
    made ??= reference(platform)
    answerPage(res, 200, 'svc API reference', await made)
  }
}

async function reference(platform: Pick<Platform, 'urls' | 'version'>): Promise<string> {
  const { api } = platform.urls
  const paths = (await makeOpenapi(platform)).paths as Record<string, Record<string, Operation>>
  const groups = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? 'other'
      groups.set(tag, [...(groups.get(tag) ?? []), entry(method.toUpperCase(), path, operation)])
    }
  const sections = [...groups].map(([tag, entries]) => `<h2>${escapeHtml(tag)}</h2>${entries.join('')}`)
  return `<h1>svc API</h1>
<p>Base address <code>${escapeHtml(api)}</code>. Send <code>Authorization: Bearer &lt;token&gt;</code>; JSON in, JSON out.
Errors are <code>{ "error": { "code", "message" } }</code>. The same as data: <a href="${escapeHtml(api)}/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}`
}

function entry(method: string, path: string, operation: Operation): string {
  const { summary, description, security, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    p =>
      `<tr><td><code>${escapeHtml(p.name)}</code></td><td>${p.in}${p.required ? ', required' : ''}</td><td>${escapeHtml(p.schema.description ?? '')}</td></tr>`,
  )
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<p>Body, <code>${escapeHtml(type)}</code></p>${json(schema)}`,
  )
  const answers = Object.entries(responses).map(([status, response]) =>
    status.startsWith('2')
      ? `<p>${status}</p>${success(response.content)}`
      : errorLine(status, response.description),
  )
  return `<details><summary><code><b class="method">${method}</b> ${escapeHtml(path)}</code> <span>${words(summary)}</span></summary>
${description ? `<p>${words(description)}</p>` : ''}
${security.length === 0 ? '<p>No token needed.</p>' : ''}
${rows.length > 0 ? `<table><tbody>${rows.join('')}</tbody></table>` : ''}
${body.join('')}${answers.join('')}</details>`
}

const success = (content: Record<string, { schema: unknown }>): string =>
  Object.entries(content)
    .map(([type, { schema }]) =>
      type === 'application/json' ? json(schema) : `<p><code>${escapeHtml(type)}</code></p>`,
    )
    .join('')

const errorLine = (status: string, description: string): string => `<p>${status} ${words(description)}</p>`

/** Text as HTML. Words in backticks become code. */
const words = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const json = (schema: unknown): string => `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`
