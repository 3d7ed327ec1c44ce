// Calls the API in a short form: `send(server, 'PUT /orgs/acme/members/bob', ada, { role: 'admin' })`.
import type { HttpAnswer, TestServer } from './server.ts'

export function send(
  server: TestServer,
  line: `${string} /${string}`,
  who?: { token: string },
  body?: unknown,
): Promise<HttpAnswer> {
  const [method = '', path = ''] = line.split(' ')
  return server.request(path, { method, token: who?.token, body })
}

/** The status and the error code of an answer: `404 not_found`. */
export const refusal = ({ status, json }: HttpAnswer): string => `${status} ${json?.error?.code}`
