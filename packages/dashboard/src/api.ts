// The console's door to the API: the typed client with the session's token, and words for what went wrong.
import { ApiError, type Client, createClient } from '@svc/contract/client'
import { config } from './config.ts'
import { endSession, session } from './session.ts'

export { ApiError }

/** Calls an endpoint as the signed-in account; a token that has ended signs out. */
export const call: Client = async (key, ...input) => {
  const current = session.get()
  const token = current.state === 'signed in' ? current.token : undefined
  try {
    return await createClient({ baseUrl: config().api_url, token })(key, ...input)
  } catch (error) {
    if (token && error instanceof ApiError && error.status === 401) endSession(token)
    throw error
  }
}

export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : 'unknown')

/** What to tell a person about an error. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'network_error')
    return 'The platform does not answer. Check your connection and try again.'
  return error.message
}
