// Password hashing with scrypt in the thread pool, a few at a time and fairly between clients.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { limits } from '@svc/contract'
import { FairQueue, QueueFull } from '../../lib/fair-queue.ts'
import { Fault } from '../../lib/fault.ts'
import { passwordCost } from './password-cost.ts'

const signIns = new FairQueue(2, 50)

export function validPassword(password: string): string {
  const { min, max } = limits.accountPassword
  if (password.length < min || password.length > max)
    throw new Fault('invalid_request', `password must have ${min} to ${max} characters`)
  return password
}

/** `client` is an account or an IP address. Many hashes of one client do not delay others. */
export async function hashPassword(password: string, client: string): Promise<string> {
  const salt = randomBytes(16)
  return hashText(salt, await derive(password, salt, passwordCost, { turns: signIns, client }))
}

function hashText(salt: Buffer, hash: Buffer): string {
  const { N, r, p } = passwordCost
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** What is compared if there is no stored hash. No password matches it. */
const hashOfNobody = (): string => hashText(randomBytes(16), randomBytes(32))

/** Takes the same time if there is no stored hash, so that the time does not reveal which logins exist. */
export async function verifyPassword(
  password: string,
  stored: string | null | undefined,
  client: string,
  turns = signIns,
): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? hashOfNobody()).split('$')
  const expected = Buffer.from(hash, 'base64url')
  const stated = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), stated, { turns, client })
  return timingSafeEqual(actual, expected) && stored != null
}

async function derive(
  password: string,
  salt: Buffer,
  { N, r, p }: typeof passwordCost,
  { turns, client }: { turns: FairQueue; client: string },
): Promise<Buffer> {
  try {
    return await turns.run(
      () =>
        new Promise<Buffer>((resolve, reject) =>
          scrypt(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
            error ? reject(error) : resolve(key),
          ),
        ),
      client,
    )
  } catch (error) {
    if (error instanceof QueueFull)
      throw new Fault('unavailable', 'Too many passwords are being checked. Try again in a few seconds.', {
        retryAfter: 5,
        cause: error,
      })
    throw error
  }
}
