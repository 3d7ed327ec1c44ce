// Makes an OpenAPI 3.1 document from the endpoint table, with the schemas that the server validates with.
import { z } from 'zod'
import type { Endpoint, RouteRole } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { type ErrorCode, errors } from './errors.ts'
import { describeRateLimit } from './rate-limits.ts'

type Json = Record<string, unknown>

/** All error codes of an endpoint: those of its row, and those that every endpoint of its kind can answer with. */
function errorCodes(endpoint: Endpoint): ErrorCode[] {
  const role = roleOf(endpoint)
  const codes = new Set<ErrorCode>(endpoint.errors)
  if (endpoint.access !== 'none') codes.add('unauthorized')
  if (endpoint.body || endpoint.query) codes.add('invalid_request')
  if (endpoint.body) codes.add('payload_too_large')
  if (endpoint.rawBody && !endpoint.typeByContent) codes.add('unsupported_media_type')
  if (role) codes.add('not_found')
  if ((role && role !== 'member') || endpoint.access === 'platform admin') codes.add('forbidden')
  if (endpoint.rateLimits.length > 0) codes.add('rate_limit_exceeded')
  return [...codes]
}

const roleOf = ({ role }: Endpoint): RouteRole | undefined => (role === 'none' ? undefined : role)

function schema(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return rest
}

function parameters(path: string, endpoint: Endpoint): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = endpoint.query ? schema(endpoint.query, 'input') : {}
  const required = new Set((query.required as string[] | undefined) ?? [])
  const inQuery = Object.entries((query.properties as Record<string, Json> | undefined) ?? {}).map(
    ([name, property]) => ({ name, in: 'query', required: required.has(name), schema: property }),
  )
  return [...inPath, ...inQuery]
}

function requestBody(endpoint: Endpoint): Json {
  if (endpoint.body) {
    const content = { 'application/json': { schema: schema(endpoint.body, 'input') } }
    return { requestBody: { required: true, content } }
  }
  if (!endpoint.rawBody) return {}
  const content = Object.fromEntries(
    endpoint.rawBody.map(type => [type, { schema: { type: 'string', format: 'binary' } }]),
  )
  return { requestBody: { required: true, content } }
}

function responses(endpoint: Endpoint): Json {
  const success =
    typeof endpoint.answer === 'string'
      ? { [endpoint.answer]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: schema(endpoint.answer, 'output') } }
  const answers: Record<string, Json> = {
    [endpoint.status ?? 200]:
      endpoint.status === 101
        ? { description: `A WebSocket whose binary messages carry ${endpoint.answer}` }
        : { description: 'Success', content: success },
  }
  for (const code of errorCodes(endpoint)) {
    const { status, meaning } = errors[code]
    const line = `\`${code}\`: ${meaning}`
    const known = answers[status]
    if (known) known.description = `${known.description}\n\n${line}`
    else
      answers[status] = {
        description: line,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      }
  }
  return answers
}

/** The sections of the API reference, by the first segment of the path. */
const sections: Record<string, string> = {
  health: 'Platform',
  'openapi.json': 'Platform',
  hooks: 'Platform',
  admin: 'Operator area',
  me: 'Account and sign-in',
  auth: 'Account and sign-in',
  tokens: 'Tokens',
  projects: 'Projects',
  shares: 'Temporary shares',
  github: 'Git host',
  orgs: 'Organizations',
  invites: 'Organizations',
  usage: 'Usage and billing',
  billing: 'Usage and billing',
}

function operation(path: string, endpoint: Endpoint): Json {
  const role = roleOf(endpoint)
  const limits = endpoint.rateLimits.map(describeRateLimit)
  const notes = [
    endpoint.access === 'user or deploy' && "Also for an org's deploy token.",
    endpoint.access === 'platform admin' && 'For platform admins.',
    role && role !== 'self' && `In an org it needs the role ${role}.`,
    endpoint.note,
    endpoint.audit?.length && `Audit log: ${endpoint.audit.map(action => `\`${action}\``).join(' or ')}.`,
    limits.length > 0 && `Rate limit: ${limits.join('; ')}.`,
  ].filter(Boolean)
  return {
    summary: endpoint.summary,
    ...(notes.length > 0 ? { description: notes.join(' ') } : {}),
    tags: [sections[path.split('/')[1] ?? ''] ?? 'Other'],
    security: endpoint.access === 'none' ? [] : [{ bearer: [] }],
    parameters: parameters(path, endpoint),
    ...requestBody(endpoint),
    responses: responses(endpoint),
  }
}

interface Operation {
  path: string
  method: string
  operation: Json
}

/** The operation of each endpoint. To make them all takes a tenth of a second or more, so a server makes them one by one. */
export function* openapiOperations(): Generator<Operation> {
  for (const [key, endpoint] of Object.entries(endpoints) as [string, Endpoint][]) {
    const [method = '', path = ''] = key.split(' ')
    const template = path.replace(/:(\w+)/g, '{$1}')
    yield { path: template, method: method.toLowerCase(), operation: operation(path, endpoint) }
  }
}

export function openapi(server: { url: string; version: string }, operations: Iterable<Operation>) {
  const paths: Record<string, Json> = {}
  for (const { path, method, operation } of operations) paths[path] = { ...paths[path], [method]: operation }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version: server.version,
      description: 'The control-plane API of the svc deploy platform.',
    },
    servers: [{ url: server.url }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: { code: { enum: Object.keys(errors) }, message: { type: 'string' } },
            },
          },
        },
      },
    },
  }
}
