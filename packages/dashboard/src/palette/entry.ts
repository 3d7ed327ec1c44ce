// One line of the command palette.
import type { IconName } from '../components/icon.tsx'

export interface Entry {
  group: string
  label: string
  /** What is shown behind it, such as the org of a project. */
  note?: string
  icon: IconName
  run: () => void
  /** Other words that find it. */
  more?: readonly string[]
}

export type Link = (group: string, label: string, icon: IconName, to: string, note?: string) => Entry
