// Chooses how much to compress a file. Compressing compressed files again would take most of the time for nothing.
import type { SiteFile } from './list.ts'

/** A level of zlib. 4 takes a third less time than the usual 6 for archives that are a twentieth larger. */
export type Effort = 0 | 4

const compressed =
  /\.(avif|br|gif|gz|heic|jpe?g|jxl|m4[av]|mov|mp[34]|og[agv]|opus|png|rar|tgz|web[mp]|woff2?|xz|zip|zst|7z)$/i

/** Below this size, changing the level costs more than it saves. */
const smallestBytes = 16 * 1024

export function effortFor({ path, size }: SiteFile): Effort {
  return size >= smallestBytes && compressed.test(path) ? 0 : 4
}
