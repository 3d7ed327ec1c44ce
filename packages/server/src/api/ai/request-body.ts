// What the gateway reads in a request before it passes it on: the model, whether the answer is streamed, and how many
// tokens to expect. The body goes on byte for byte; the one addition is the wish for token counts in a streamed answer.
import { setImmediate } from 'node:timers/promises'
import type { TokenCounts } from '../../core/ai/token-counts.ts'
import { JsonScan } from '../../lib/json-scan.ts'
import type { AiCall } from './calls.ts'
import { GatewayError } from './errors.ts'
import { multipartFields } from './multipart.ts'

export interface AskedFor {
  /** The model that the request names. Empty if it names none. */
  model: string
  /** The tokens that the request is expected to use, estimated before the provider answers. */
  estimate: TokenCounts
  /** Adds the option for token counts to the body. `undefined` if the client set it, or if the call has no such option. */
  withUsage: (() => Buffer) | undefined
}

const lengths = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const
const wanted = ['model', 'stream', 'stream_options', 'background', ...lengths]

/** Calls whose streamed answers contain token counts only if the request asks for them. */
const countsOnWish = new Set(['chat/completions', 'completions'])

/** A name is shown, stored and compared, so it must be printable ASCII. All known names are. */
const modelName = /^[\x20-\x7e]{1,200}$/
const bytesPerToken = 4
const scannedAtOnce = 512 * 1024
const usualAnswer = 1_000

export async function readAskedFor(call: AiCall, contentType: string, body: Buffer): Promise<AskedFor> {
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (type === 'multipart/form-data') return readForm(contentType, body)
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return await readJson(call, body)
  throw new GatewayError(
    415,
    'unsupported_media_type',
    `The content type must be application/json or multipart/form-data, not '${type.slice(0, 100)}'.`,
  )
}

async function readJson(call: AiCall, body: Buffer): Promise<AskedFor> {
  const scan = await scanned(body)
  if (!scan.isObject || scan.rootEnd === undefined || scan.hasMore)
    throw invalid('The body is not a JSON object.')
  if (scan.ambiguous !== undefined)
    throw invalid(`'${scan.ambiguous}' is there twice, or not in lower case. Write it once.`, scan.ambiguous)
  if (scan.read('background') === true)
    throw invalid(
      'background: is not offered, since its answer would be stored at the AI provider. Use stream instead.',
      'background',
    )
  const model = scan.get('model') === undefined ? '' : checkModel(scan.read('model'))
  const mayStream = scan.read('stream') === true && countsOnWish.has(call.name)
  return {
    model,
    estimate: { prompt: textTokens(body), cached: 0, completion: answerTokens(scan) },
    withUsage: mayStream && !asksForUsage(scan) ? () => addUsageOption(body, scan) : undefined,
  }
}

/** Scans the body in parts, and lets other requests run between them. */
async function scanned(body: Buffer): Promise<JsonScan> {
  const scan = new JsonScan(wanted)
  for (let at = 0; at < body.length; at += scannedAtOnce) {
    if (at > 0) await setImmediate()
    scan.push(body.subarray(at, at + scannedAtOnce))
  }
  return scan
}

function readForm(contentType: string, body: Buffer): AskedFor {
  const models = multipartFields(body, contentType, ['model'])?.get('model') ?? []
  if (models.length > 1) throw invalid("'model' is there twice. Write it once.", 'model')
  const model = models.length === 0 ? '' : checkModel(models[0])
  return { model, estimate: { prompt: 0, cached: 0, completion: usualAnswer }, withUsage: undefined }
}

function checkModel(model: unknown): string {
  if (typeof model === 'string' && modelName.test(model)) return model
  throw invalid('model: must be a name of 1 to 200 printable ASCII characters.', 'model')
}

function answerTokens(scan: JsonScan): number {
  const given = lengths.map(name => scan.read(name)).filter(value => Number.isSafeInteger(value)) as number[]
  return Math.min(1_000_000, Math.max(0, ...(given.length > 0 ? given : [usualAnswer])))
}

const asksForUsage = (scan: JsonScan): boolean =>
  (scan.read('stream_options') as { include_usage?: unknown } | null | undefined)?.include_usage === true

/** Adds the option to the stream options of the body, or adds new stream options at the end of the object. */
function addUsageOption(body: Buffer, scan: JsonScan): Buffer {
  const there = scan.get('stream_options')
  const options = scan.read('stream_options')
  if (there === undefined) {
    const end = scan.rootEnd!
    const option = Buffer.from(',"stream_options":{"include_usage":true}')
    return Buffer.concat([body.subarray(0, end), option, body.subarray(end)])
  }
  // The provider refuses options that are not an object.
  if (options !== null && (typeof options !== 'object' || Array.isArray(options))) return body
  const changed = Buffer.from(JSON.stringify({ ...options, include_usage: true }))
  return Buffer.concat([body.subarray(0, there.start), changed, body.subarray(there.end)])
}

/** Estimates the tokens of a body: four bytes are one token. `data:` URLs (images, sounds) do not count. */
function textTokens(body: Buffer): number {
  let bytes = body.length
  for (let at = body.indexOf('"data:'); at >= 0; at = body.indexOf('"data:', at)) {
    const end = body.indexOf('"', at + 1)
    const to = end < 0 ? body.length : end
    bytes -= to - at
    at = to
  }
  return Math.ceil(bytes / bytesPerToken)
}

const invalid = (message: string, param?: string): GatewayError =>
  new GatewayError(400, 'invalid_request', message, { param })
