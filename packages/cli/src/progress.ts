// A progress bar, and a line that says what svc waits for, on stderr. They are only shown on a terminal.
import { size } from './output.ts'

const WIDTH = 28
const PAUSE_MS = 50

interface Waiting {
  start: () => void
  /** Stops counting. The line stays until the next one is drawn, or the bar is removed. */
  end: () => void
}

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
      draw(bar(label, done, total))
    },
    end() {
      if (shown) process.stderr.write('\r\x1b[K')
    },
  }
}

/** A line such as `Starting the app … 12 s`, for a step whose length is not known. */
export function waitingLine(text: string): Waiting {
  const shown = process.stderr.isTTY
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      if (!shown) return
      const started = performance.now()
      draw(text)
      timer = setInterval(() => draw(`${text} ${Math.round((performance.now() - started) / 1000)} s`), 1000)
    },
    end() {
      clearInterval(timer)
    },
  }
}

/** Replaces the line. A line that wraps could not be overwritten. */
function draw(text: string): void {
  process.stderr.write(`\r${text.slice(0, (process.stderr.columns || 80) - 1)}\x1b[K`)
}

function bar(label: string, done: number, total: number): string {
  const share = total === 0 ? 1 : done / total
  const filled = Math.floor(share * WIDTH)
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  return `${label.padEnd(9)} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${percent}  ${size(done)} of ${size(total)}`
}
