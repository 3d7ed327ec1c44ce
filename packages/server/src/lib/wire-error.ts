// Passes errors between threads. A Fault stays a Fault. Other errors keep their message, code and stack.
import type { ErrorCode } from '@svc/contract'
import { Fault } from './fault.ts'

export type WireError =
  | {
      fault: { code: ErrorCode; message: string; retryAfter: number | undefined }
      cause: WireError | undefined
    }
  | { error: { name: string; message: string; code: string | undefined; stack: string | undefined } }

export function encodeError(error: unknown): WireError {
  if (error instanceof Fault) {
    const { code, message, retryAfter, cause } = error
    return {
      fault: { code, message, retryAfter },
      cause: cause === undefined ? undefined : encodeError(cause),
    }
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = (error as { code?: unknown } | null)?.code
  return { error: { name, message, stack, code: typeof code === 'string' ? code : undefined } }
}

export function reviveError(wire: WireError): Error {
  if ('fault' in wire) {
    const { code, message, retryAfter } = wire.fault
    return new Fault(code, message, { retryAfter, cause: wire.cause && reviveError(wire.cause) })
  }
  const { name, message, stack, code } = wire.error
  return Object.assign(new Error(message), { name, stack, ...(code !== undefined && { code }) })
}
