// The disk of a project: a directory beside its server app that stays when an instance ends.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { id, timestamp } from './basics.ts'

export const diskSize = z
  .number()
  .int()
  .min(limits.diskBytes.min, 'must be at least 10 MB')
  .max(limits.diskBytes.max, 'must be at most 1 TB')

/** Directories of the system and of the app itself, which a disk must not cover. */
const taken =
  'app,bin,boot,dev,etc,home,lib,lib32,lib64,opt,proc,root,run,sbin,sys,tmp,usr,node_modules'.split(',')

/** Linear: each part begins with a slash, which the parts do not contain. */
const diskPathPattern = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}){1,8}$/

export const diskPath = z
  .string()
  .regex(diskPathPattern, 'must be an absolute path of letters, digits, dots and dashes, such as /data')
  .refine(it => !taken.includes(it.split('/')[1] ?? ''), 'is a directory of the system or of the app')

export const disk = z.object({
  size_bytes: z.number().int().describe('What it may hold'),
  path: z.string().describe('Where the app finds it; also in its variable `SVC_DISK`'),
  used_bytes: z
    .number()
    .int()
    .nullable()
    .describe('What it takes of the file system, at least 4 KB for each file; as last measured'),
  measured_at: timestamp.nullable(),
  is_full: z
    .boolean()
    .describe('True: it holds more than its size, and the app does not run until that changes'),
  problem: z.string().nullable().describe('Why it cannot be used as it is'),
  limit: z.literal('measured').describe('How the size is enforced: the disk is measured while the app runs'),
  is_shared: z
    .boolean()
    .describe(
      'True: at a deploy or a restart, the old instance and the new one have it at the same time, and no request waits',
    ),
  is_copying: z.boolean().describe('True while a snapshot that was asked for is made or restored'),
  preview_data: z
    .enum(['empty', 'copy'])
    .describe("What new disks of previews begin with. `copy`: with the newest snapshot of production's"),
  created_at: timestamp,
})

export const previewDisk = disk.pick({ used_bytes: true, created_at: true }).extend({ branch: z.string() })

export const diskSnapshot = z.object({
  id: id('snp'),
  reason: z
    .enum(['deploy', 'daily', 'manual', 'restore'])
    .describe('`deploy`: before a deploy or a rollback. `restore`: what a restore replaced'),
  bytes: z.number().int(),
  created_at: timestamp,
})

export type DiskSnapshot = z.infer<typeof diskSnapshot>
export type PreviewDisk = z.infer<typeof previewDisk>
export type Disk = z.infer<typeof disk>
