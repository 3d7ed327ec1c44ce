// The token: SVC_TOKEN first, then the credentials file that `svc login` writes.
import { join } from 'node:path'
import { environment } from './environment.ts'
import { Failure } from './failure.ts'
import { checkPrivatePlace, readPrivateJson, removeFile, writePrivateJson } from './private-file.ts'

const credentialsFile = () => join(environment.configDir(), 'credentials.json')

export const isLoggedIn = (): boolean => knownToken() !== undefined

const knownToken = (): string | undefined => environment.token() ?? storedToken()

export function requireToken(): string {
  const token = knownToken()
  if (!token) throw new Failure("Not logged in. Run 'svc login' first.")
  // A header cannot contain other characters. The request would fail with an error that does not mention the token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Failure('The token holds characters that no token has.')
  return token
}

function storedToken(): string | undefined {
  const token = readPrivateJson(credentialsFile())?.token
  return typeof token === 'string' && token !== '' ? token : undefined
}

/** Fails if a token could not be stored. It runs before the login, so that nobody approves a token in vain. */
export function checkStore(): void {
  checkPrivatePlace(credentialsFile())
}

export function storeToken(token: string): void {
  writePrivateJson(credentialsFile(), { token })
}

/** Deletes the stored token. Returns whether there was one. */
export function forgetToken(): boolean {
  return removeFile(credentialsFile())
}
