// How hard to compress a file: what is compressed already would take most of the time and give nothing back.
import type { SiteFile } from './list.ts'

/** A level of zlib. 4 takes a third less time than the usual 6 for archives that are a twentieth larger. */
export type Effort = 0 | 4

const compressed =
  /\.(avif|br|gif|gz|heic|jpe?g|jxl|m4[av]|mov|mp[34]|og[agv]|opus|png|rar|tgz|web[mp]|woff2?|xz|zip|zst|7z)$/i

/** Changing the level has its own price, which small files are not worth. */
const WORTH_IT = 16 * 1024

export function effortFor({ path, size }: SiteFile): Effort {
  return size >= WORTH_IT && compressed.test(path) ? 0 : 4
}
