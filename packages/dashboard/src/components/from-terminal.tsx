// Shows the terminal command that does the same as the page.
import { Command } from './copy.tsx'
import styles from './from-terminal.module.css'

export function FromTerminal({ words, command }: { words: string; command: string }) {
  return (
    <section className={styles.terminal} aria-label="From your terminal">
      <p>{words}</p>
      <Command>{command}</Command>
    </section>
  )
}
