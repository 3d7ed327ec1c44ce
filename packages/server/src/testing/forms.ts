// Submits forms in tests, as browsers and scripts do.
import type { HttpAnswer, TestServer } from './server.ts'

export const urlencoded = 'application/x-www-form-urlencoded'
const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'

/** Submits a form as a browser does. */
export const submit = (
  server: TestServer,
  label: string,
  form: string,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  server.site(label, `/_svc/forms/${form}`, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': urlencoded, accept: browser, ...headers },
  })

/** Submits a form as JSON, as a script does. */
export const submitJson = (
  server: TestServer,
  label: string,
  form: string,
  fields: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  server.site(label, `/_svc/forms/${form}`, {
    method: 'POST',
    body: JSON.stringify(fields),
    headers: { 'content-type': 'application/json', ...headers },
  })

/** Makes a multipart body from parts, each with its header lines and its content. */
export function multipart(parts: [head: string, content: string][]): {
  body: Buffer
  headers: { 'content-type': string }
} {
  const boundary = '----svc-test-boundary'
  const text = parts.map(([head, content]) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join('')
  return {
    body: Buffer.from(`${text}--${boundary}--\r\n`),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

export const textPart = (name: string, content: string): [string, string] => [
  `Content-Disposition: form-data; name="${name}"`,
  content,
]
