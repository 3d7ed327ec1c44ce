// Compressed variants of a deployment's files: a second pack, made after going live, named after the first.

export type Coding = 'br' | 'gzip'

const suffixes: Record<Coding, string> = { br: '.br', gzip: '.gz' }

export function variantsPackId(deploymentId: string): string {
  return `${deploymentId}.z`
}

/** Where the variant of a file lies in the pack of variants. */
export function variantPath(path: string, coding: Coding): string {
  return path + suffixes[coding]
}
