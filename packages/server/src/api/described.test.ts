// Made-up requests to every endpoint: whatever a client sends, the API answers with a status and a body that its description names.
// `SVCD_FUZZ_CASES=5000` for more, `SVCD_FUZZ_SEED` for others.
import { type EndpointKey, endpoints, openapiOperations } from '@svc/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { archiveOf } from '../testing/archives.ts'
import { send } from '../testing/send.ts'
import { type HttpAnswer, onEveryServer, type TestServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

type Json = Record<string, unknown>

/** An operation of the OpenAPI document, as far as requests are made up from it. */
interface Operation {
  parameters: { name: string; in: string; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, unknown>
}

const perEndpoint = Math.max(2, Math.round(Number(process.env.SVCD_FUZZ_CASES ?? 500) / 250))
const seed = Number(process.env.SVCD_FUZZ_SEED ?? 20261119)

/** They end what the other requests need, or change the whole platform. */
const leftOut = /^(DELETE \/me|.* \/admin\/.*)$/

const usual = [
  'a',
  'main',
  'https://example.com/x',
  'ada@example.com',
  '2026-01-01',
  '* * * * *',
  '/path',
  'GET',
]
const hostile = ['', ' ', '\0', '../../x', '\u{1F600}é', '<b>', "' or 1=1 --", '-1', '1e999', '__proto__']

/** Mostly what the schema allows, and sometimes what it does not. */
function valuesOf(schema: Json): fc.Arbitrary<unknown> {
  const options = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]))
  if (options) return fc.oneof(...options.map(valuesOf))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object')
    return objectsOf(schema.properties as Record<string, Json>, schema.required as string[])
  if (type === 'array') return fc.array(valuesOf((schema.items as Json | undefined) ?? {}), { maxLength: 3 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number')
    return fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1, 0, -1, 1.5, 2 ** 53)
  const tooLong = 'x'.repeat(Math.min(Number(schema.maxLength ?? 20), 2_000) + 1)
  return fc.constantFrom(...usual, ...hostile, tooLong, tooLong.slice(1))
}

function objectsOf(properties: Record<string, Json> = {}, requiredKeys: string[] = []): fc.Arbitrary<Json> {
  const wrongType = fc.constantFrom(null, [], {}, 7)
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = fc.oneof({ weight: 9, arbitrary: valuesOf(schema) }, { weight: 1, arbitrary: wrongType })
    return [name, value] as const
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys })
}

/** A team with something of each kind, so that many requests find what they ask for. */
async function makeThings(server: TestServer) {
  const { owner, org } = await makeTeam(server)
  const project = freshName()
  await send(server, 'POST /projects', owner, { name: project, org })
  const deployed = await server.upload(owner.token, project, archiveOf({ 'index.html': 'hello' }))
  await send(server, `PUT /projects/${project}/env/KEY`, owner, { value: 'value' })
  await send(server, `POST /projects/${project}/domains`, owner, { domain: `${project}.example.com` })
  const schedule = { schedule: '0 0 1 1 *', path: '/' }
  const cron = await send(server, `POST /projects/${project}/crons`, owner, schedule)
  return { owner, org, project, ids: [deployed.json.deployment_id, cron.json.id] as string[] }
}

type Things = Awaited<ReturnType<typeof makeThings>>

function requestsTo(path: string, operation: Operation, things: Things) {
  const known: Record<string, string[]> = {
    name: [path.startsWith('/orgs') ? things.org : things.project],
    key: ['KEY'],
    domain: [`${things.project}.example.com`],
    login: [things.owner.login],
  }
  const segment = (part: string): fc.Arbitrary<string> => {
    if (!part.startsWith('{')) return fc.constant(part)
    const existing = fc.constantFrom(...(known[part.slice(1, -1)] ?? things.ids))
    const other = fc.constantFrom('unknown', '%00', '..%2f', '%F0%9F%98%80')
    return fc.oneof({ weight: 4, arbitrary: existing }, { weight: 1, arbitrary: other })
  }
  const inQuery = operation.parameters.filter(({ in: place }) => place === 'query')
  const body = operation.requestBody?.content['application/json']
  return fc.record({
    target: fc.tuple(...path.split('/').map(segment)).map(parts => parts.join('/')),
    query: objectsOf(Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema]))),
    body: body ? valuesOf(body.schema) : fc.constant(undefined),
  })
}

/** What the answer has that its description does not name. */
function surpriseIn(
  { status, json }: HttpAnswer,
  key: EndpointKey,
  operation: Operation,
): string | undefined {
  const { status: success = 200, answer } = endpoints[key] as { status?: number; answer: z.ZodType | string }
  if (status === 500 || !(status in operation.responses)) return 'the status is not described'
  // A page for people is one also when it says what is wrong.
  if (answer === 'text/html') return undefined
  if (status !== success) return typeof json?.error?.code === 'string' ? undefined : 'there is no error code'
  return typeof answer === 'string' ? undefined : answer.safeParse(json).error?.message
}

onEveryServer(server => {
  it(`answers ${perEndpoint} made-up requests to each endpoint as its description says`, async () => {
    const surprises: string[] = []
    let things = await makeThings(server())
    for (const { method, path, operation: described } of openapiOperations()) {
      const operation = described as unknown as Operation
      const key = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}` as EndpointKey
      if (leftOut.test(key) || '101' in operation.responses) continue
      // A request before may have renamed or deleted it.
      const still = await send(server(), `GET /projects/${things.project}`, things.owner)
      if (still.status !== 200) things = await makeThings(server())
      for (const { target, query, body } of fc.sample(requestsTo(path, operation, things), {
        seed,
        numRuns: perEndpoint,
      })) {
        const search = new URLSearchParams()
        for (const [name, value] of Object.entries(query)) search.set(name, String(value))
        const line = `${method.toUpperCase()} ${target}?${search}` as `${string} /${string}`
        const answer = await send(server(), line, things.owner, body)
        const surprise = surpriseIn(answer, key, operation)
        if (surprise)
          surprises.push(`${line} ${JSON.stringify(body)}: ${answer.status} ${answer.text}: ${surprise}`)
      }
    }
    expect(surprises).toEqual([])
  })
})
