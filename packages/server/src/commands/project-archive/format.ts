// What the archive of one project holds: a manifest, the packs of its deployments as in a backup, and at its end a description
// of everything else.
import { z } from 'zod'

export const projectManifestName = 'svcd-project.json'

export const descriptionName = 'project.json'

export const projectManifest = z.strictObject({
  format: z.literal(1),
  svcd: z.string().max(100),
  created_at: z.iso.datetime(),
  /** The number of files after the manifest. */
  files: z.number().int(),
  /** The hash of all bytes after the manifest. */
  sha256: z.string(),
})

export type ProjectManifest = z.infer<typeof projectManifest>

/** The id of the pack with the objects of the repository, among those of the deployments. */
export const repositoryPackId = 'repository'
