// The background jobs: what each is about, the lane that it runs in, and how often it is tried. `jobs/handlers.ts` has the
// function of each kind.
import { z } from 'zod'
import { sha256 } from '../../lib/ids.ts'
import { insertJob } from '../../store/platform/jobs.ts'
import type { Db } from '../../store/store.ts'
import type { JobRow } from '../../store/tables.ts'

/**
 * How many jobs of each lane run at a time. A slow job holds up only its own lane. Visitors cause the emails of forms, and anyone
 * those of forgotten passwords, so each of the two has a lane.
 */
export const lanes = {
  forms: 4,
  passwords: 2,
  mail: 4,
  invoices: 2,
  git: 2,
  compression: 1,
  storage: 1,
  backup: 1,
} as const

export type Lane = keyof typeof lanes

interface KindOfJob<Payload> {
  /** Strict: a field that is not known is one that a newer server needs. */
  payload: z.ZodType<Payload>
  /** At most one job of a kind waits for each key. */
  key(payload: Payload): string
  /** The payload of a job that a server of an older version queued, which has only a key. */
  ofKey(key: string): Payload
  lane: Lane
  /** After so many failures the job is given up. */
  attempts: number
  /** True if nobody counts on it, so that an operator may cancel it before it is given up. */
  mayCancel: boolean
}

const kind = <Payload>(row: KindOfJob<Payload>): KindOfJob<Payload> => row

/** A job about one record, which its id names. */
const ofRecord = (lane: Lane, more: { mayCancel: boolean } = { mayCancel: false }) =>
  kind({
    payload: z.strictObject({ id: z.string() }),
    key: ({ id }) => id,
    ofKey: id => ({ id }),
    lane,
    attempts: 5,
    ...more,
  })

export const jobKinds = {
  /** Makes the compressed variants of a deployment. Without them, a site is served as it was uploaded. */
  compress: ofRecord('compression', { mayCancel: true }),
  /** Deletes the files of discarded deployments. The id is that of their project. */
  'remove-packs': ofRecord('storage'),
  /**
   * Builds a branch of a repository at GitLab or Gitea if it has a new commit. Each commit has a job of its own: a push that
   * comes while an earlier one is handled must not be lost.
   */
  'follow-branch': kind({
    payload: z.strictObject({ repository_id: z.string(), branch: z.string(), commit: z.string() }),
    key: ({ repository_id, branch, commit }) => [repository_id, commit, branch].join(' '),
    ofKey: key => {
      const [repository_id = '', commit = '', ...branch] = key.split(' ')
      return { repository_id, commit, branch: branch.join(' ') }
    },
    lane: 'git',
    attempts: 10,
    mayCancel: true,
  }),
  'form-mail': kind({
    payload: z.strictObject({ project_id: z.string(), form: z.string() }),
    key: ({ project_id, form }) => `${project_id} ${form}`,
    ofKey: key => {
      const [project_id = '', form = ''] = key.split(' ')
      return { project_id, form }
    },
    lane: 'forms',
    attempts: 5,
    mayCancel: false,
  }),
  'billing-mail': ofRecord('mail'),
  /** The id is that of the entry in the audit log. */
  'security-mail': ofRecord('mail'),
  /** The email for a forgotten password. The login is one that somebody entered; there may be no such account. */
  'password-mail': kind({
    payload: z.strictObject({ login: z.string() }),
    key: ({ login }) => login,
    ofKey: login => ({ login }),
    lane: 'passwords',
    attempts: 3,
    mayCancel: true,
  }),
  /** Makes a backup at the time of SVCD_BACKUP_SCHEDULE. The next one is queued in any case. */
  backup: kind({
    payload: z.strictObject({ place: z.string() }),
    key: ({ place }) => place,
    ofKey: place => ({ place }),
    lane: 'backup',
    attempts: 3,
    mayCancel: true,
  }),
  /** Tells the admins that backups fail, once for each row of failures. */
  'backup-mail': kind({
    payload: z.strictObject({ place: z.string(), at: z.number() }),
    key: ({ place, at }) => `${at} ${place}`,
    ofKey: key => {
      const [at = '', ...place] = key.split(' ')
      return { at: Number(at), place: place.join(' ') }
    },
    lane: 'mail',
    attempts: 5,
    mayCancel: true,
  }),
  /** Makes the PDF of an invoice and emails it. */
  invoice: ofRecord('invoices'),
}

export type JobKind = keyof typeof jobKinds
export type JobPayload<K extends JobKind> = z.infer<(typeof jobKinds)[K]['payload']>

export const isJobKind = (name: string): name is JobKind => Object.hasOwn(jobKinds, name)

/** Tells the job tables of different versions apart. */
export const jobsFingerprint = sha256(
  JSON.stringify(Object.entries(jobKinds).map(([name, { payload }]) => [name, z.toJSONSchema(payload)])),
).slice(0, 12)

/** Queues a job. One that waits already for the same key stays as it is; one that was given up begins again. */
export async function enqueue<K extends JobKind>(
  db: Db,
  name: K,
  payload: JobPayload<K>,
  { now, runAt = now }: { now: number; runAt?: number },
): Promise<void> {
  const { key } = jobKinds[name] as unknown as KindOfJob<JobPayload<K>>
  await insertJob(db, { kind: name, key: key(payload), payload: JSON.stringify(payload), runAt, now })
}

/** Returns the payload of a claimed job, or `undefined` if this server does not understand it. */
export function payloadOf<K extends JobKind>(name: K, job: JobRow): JobPayload<K> | undefined {
  const { payload, ofKey } = jobKinds[name] as unknown as KindOfJob<JobPayload<K>>
  return payload.safeParse(job.payload == null ? ofKey(job.key) : parsed(job.payload)).data
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // No payload is undefined, so the schema refuses it.
    return undefined
  }
}

/** True if this server leaves the job to a newer one. */
export const isForNewer = ({ kind, not_understood_by }: JobRow): boolean =>
  !isJobKind(kind) || (not_understood_by ?? '').includes(`${jobsFingerprint} `)
