// The limits of an account or an org that the operator can set.
import { z } from 'zod'

export const limitName = z.enum([
  'projects',
  'orgs',
  'ready_apps',
  'running_apps',
  'stored_bytes',
  'bandwidth_bytes',
  'build_minutes',
])

const amount = z.number().int().nullable().describe('Null: no limit')

export const ownerLimits = z.object({
  owner: z.string().describe('The login of the account, or the name of the org'),
  kind: z.enum(['account', 'org']),
  limits: z.array(
    z.object({
      name: limitName,
      allowed: amount,
      is_own: z.boolean().describe('Whether the operator set it for this owner'),
      default: amount.describe('What its plan or the settings of the platform allow; null: no limit'),
      used: z.number().int().describe('Of bandwidth and build minutes: in this calendar month (UTC)'),
    }),
  ),
  orgs: z.array(z.string()).describe('The orgs that the account owns. They have limits of their own'),
})

/** The largest number that JSON, both databases and JavaScript hold exactly. */
const atMost = Number.MAX_SAFE_INTEGER

const newLimit = (least: number) =>
  z
    .union([z.number().int().min(least).max(atMost), z.null(), z.literal('default')])
    .optional()
    .describe('Null: no limit; `default`: what the plan or the settings allow')

/** What the operator changes. What is left out stays as it is. */
export const limitChanges = z.strictObject({
  projects: newLimit(0),
  orgs: newLimit(0),
  ready_apps: newLimit(0),
  // To stop all apps of an account, suspend it.
  running_apps: newLimit(1),
  stored_bytes: newLimit(0),
  bandwidth_bytes: newLimit(0),
  build_minutes: newLimit(0),
} satisfies Record<LimitName, unknown>)

export type LimitName = z.infer<typeof limitName>
export type OwnerLimits = z.infer<typeof ownerLimits>
export type LimitChanges = z.infer<typeof limitChanges>
