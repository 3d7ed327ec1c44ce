// Looks up VAT numbers with the REST API of VIES, the registry of the European Commission.
import { RegistryUnavailable, type VatAnswer, type VatRegistry } from './port.ts'

interface ViesSettings {
  /** The URL of the REST API, without a slash at its end. */
  url: string
  /** The seller's own VAT number. With it, VIES gives each check a reference number as proof. */
  requester: string | undefined
}

const answerAtMost = 64 * 1024

/** The error code of VIES for a malformed number. */
const invalidInput = 'INVALID_INPUT'
const invalidRequester = 'INVALID_REQUESTER_INFO'

interface Answer {
  valid?: unknown
  requestIdentifier?: unknown
  actionSucceed?: unknown
  errorWrappers?: unknown
  userError?: unknown
}

export function viesRegistry({ url, requester }: ViesSettings): VatRegistry {
  const asked = (number: { prefix: string; digits: string }, withRequester: boolean) => ({
    countryCode: number.prefix,
    vatNumber: number.digits,
    ...(withRequester &&
      requester && { requesterMemberStateCode: requester.slice(0, 2), requesterNumber: requester.slice(2) }),
  })

  return {
    async lookUp(number, signal) {
      const first = await ask(url, asked(number, true), signal)
      // If the seller's own number is wrong, the customer's number may still be valid: ask without the seller's.
      const again = requester !== undefined && errorIn(first) === invalidRequester
      return read(again ? await ask(url, asked(number, false), signal) : first)
    },
  }
}

function read(answer: Answer): VatAnswer {
  const error = errorIn(answer)
  if (error === invalidInput) return { known: false }
  if (error !== undefined) throw new RegistryUnavailable(`VIES answers ${error}`)
  if (answer.valid === false) return { known: false }
  if (answer.valid !== true) throw new RegistryUnavailable('VIES answers neither valid nor invalid')
  const { requestIdentifier: id } = answer
  return { known: true, consultation: typeof id === 'string' && id !== '' ? id.slice(0, 100) : null }
}

/** The error code in the answer, such as MS_UNAVAILABLE. VIES sends one also with status 200. */
function errorIn({ actionSucceed, errorWrappers, userError }: Answer): string | undefined {
  const [first] = Array.isArray(errorWrappers) ? (errorWrappers as unknown[]) : []
  const name = (first as { error?: unknown } | null | undefined)?.error
  if (typeof name === 'string') return name.slice(0, 100)
  if (actionSucceed === false) return 'an error without a name'
  if (typeof userError !== 'string' || ['', 'VALID', 'INVALID'].includes(userError)) return undefined
  return userError.slice(0, 100)
}

async function ask(url: string, body: object, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(`${url}/check-vat-number`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    const answer = parse(await readBounded(response))
    // An answer with status 400 about a malformed number has an error code in its body.
    if (!response.ok && errorIn(answer) === undefined)
      throw new RegistryUnavailable(`VIES answers with status ${response.status}`)
    return answer
  } catch (cause) {
    if (cause instanceof RegistryUnavailable) throw cause
    throw new RegistryUnavailable('VIES does not answer', { cause })
  }
}

function parse(text: string): Answer {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new RegistryUnavailable('VIES answers no object')
  return value
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > answerAtMost) throw new RegistryUnavailable('VIES answers too much')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
