// A snapshot: the list of the pieces that one backup is made of, with the files in each of them.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'

const piece = z.strictObject({
  id: z.string().regex(/^piece_[0-9a-f]{64}$/),
  /** Names and sizes. The piece is their content, one after the other. */
  files: z.array(z.tuple([z.string().max(4096), z.number().int().min(0)])).min(1),
  /** What was wrong with the files when they were sent. */
  damage: z.string().max(10_000).optional(),
  /** Of the encrypted piece, for those who cannot decrypt it. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

const snapshot = z.strictObject({
  format: z.literal(1),
  svcd: z.string().max(100),
  created_at: z.iso.datetime(),
  /** False if the key comes from SVCD_SECRET_KEY. */
  has_key: z.boolean(),
  pieces: z.array(piece),
})

export type Piece = z.infer<typeof piece>
export type Snapshot = z.infer<typeof snapshot>

/** `undefined` if the text is not a snapshot. */
export function readSnapshotText(text: string): Snapshot | undefined {
  try {
    return snapshot.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // No JSON.
  }
}

const idPattern = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_[0-9a-f]{8}$/

/** In the order of time, like the ids of snapshots. */
export function newSnapshotId(at: Date): string {
  const [day, time] = at.toISOString().slice(0, 19).split('T') as [string, string]
  return `${day.replaceAll('-', '')}_${time.replaceAll(':', '')}_${randomBytes(4).toString('hex')}`
}

/** When the backup was made. `undefined` if this is not the id of a snapshot. */
export function timeOfSnapshot(id: string): number | undefined {
  const [, year, month, day, hour, minute, second] = idPattern.exec(id) ?? []
  if (year === undefined) return undefined
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}

export const bytesOf = ({ pieces }: Pick<Snapshot, 'pieces'>): number =>
  pieces.reduce((sum, { files }) => sum + filesBytes(files), 0)

const filesBytes = (files: Piece['files']): number => files.reduce((sum, [, size]) => sum + size, 0)
