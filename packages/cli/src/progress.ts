// A progress bar on stderr. It is only shown on a terminal.
import { size } from './output.ts'

const WIDTH = 28
const PAUSE_MS = 50

interface Progress {
  update: (done: number) => void
  /** Removes the bar. */
  end: () => void
}

export function progressBar(label: string, total: number): Progress {
  const shown = process.stderr.isTTY
  let drawn = 0
  return {
    update(done) {
      const now = Date.now()
      if (!shown || (done < total && now - drawn < PAUSE_MS)) return
      drawn = now
      // A line that wraps could not be overwritten.
      const line = bar(label, done, total).slice(0, (process.stderr.columns || 80) - 1)
      process.stderr.write(`\r${line}\x1b[K`)
    },
    end() {
      if (shown) process.stderr.write('\r\x1b[K')
    },
  }
}

function bar(label: string, done: number, total: number): string {
  const share = total === 0 ? 1 : done / total
  const filled = Math.floor(share * WIDTH)
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  return `${label.padEnd(9)} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${percent}  ${size(done)} of ${size(total)}`
}
