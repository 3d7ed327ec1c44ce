// The last lines that an instance wrote, kept in memory to explain why it did not start.

const bytesAtMost = 8 * 1024
const linesAtMost = 20

export class LastLines {
  #chunks: Buffer[] = []
  #bytes = 0

  write(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes <= 2 * bytesAtMost) return
    this.#chunks = [Buffer.concat(this.#chunks).subarray(-bytesAtMost)]
    this.#bytes = this.#chunks[0]?.length ?? 0
  }

  /** The last lines, as text that can be stored and shown. The first may be cut. */
  get text(): string {
    const all = Buffer.concat(this.#chunks).subarray(-bytesAtMost).toString('utf8')
    const lines = all.replaceAll('\0', '').trimEnd().split('\n')
    return lines.slice(-linesAtMost).join('\n')
  }
}
