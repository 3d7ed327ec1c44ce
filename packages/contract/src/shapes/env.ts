// Environment variables.
import { z } from 'zod'
import { environments } from '../environments.ts'
import { limits } from '../limits.ts'
import { timestamp } from './basics.ts'

export const envScope = z.enum(['runtime', 'build', 'both'])

/** What the environment of a process can hold: text without NUL, and text that UTF-8 can write. */
export const envValue = z
  .string()
  .max(limits.envValueBytes, 'must have at most 64 KB')
  .refine(value => new TextEncoder().encode(value).length <= limits.envValueBytes, 'must have at most 64 KB')
  .refine(value => !value.includes('\0'), 'must not contain a NUL character')
  .refine(value => !/\p{Surrogate}/u.test(value), 'must be valid Unicode')

export const restarting = z
  .boolean()
  .optional()
  .describe(
    'True: the running server app restarts with the change, without downtime; `app.restart` of the project says whether it started. False: the server app does not run, and its next start uses the change. Left out if no server app is affected',
  )

export const environment = z.enum(environments)
export const envBranch = z.string().min(1).max(255)

/** What a stored variable is for. */
export const envTarget = {
  environments: z.array(environment).describe('Where it is set. A variable with a branch has only `preview`'),
  branch: z.string().nullable().describe('The only branch whose previews get it. Null: all of them'),
  secret: z.boolean().describe('True: the value is never answered'),
}

export const envVar = z.object({
  key: z.string(),
  value: z.string().nullable().describe('Null if the variable is secret'),
  scope: envScope,
  ...envTarget,
  updated_at: timestamp,
})

export type EnvScope = z.infer<typeof envScope>
export type EnvVar = z.infer<typeof envVar>
