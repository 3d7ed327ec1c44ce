// The arrow keys in a box with many rows, each with a button that shows its details. They move the focus from row to row. The
// buttons are no stops of the Tab key, because nobody could leave a list of thousands of rows.
import type { KeyboardEvent } from 'react'

const steps: Record<string, 1 | -1 | undefined> = { ArrowDown: 1, ArrowUp: -1 }

export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const box = event.currentTarget
  const buttons = [...box.querySelectorAll<HTMLElement>('[data-row-button]')]
  const row = document.activeElement?.closest('[data-row]')
  const at = buttons.findIndex(button => row?.contains(button))
  // The box itself has the focus: its arrow keys scroll, but the first step down goes to the first row in sight.
  const next = at !== -1 ? buttons[at + step] : step === 1 ? firstInSight(box, buttons) : undefined
  if (!next && at === -1) return
  event.preventDefault()
  if (next) next.focus()
  else if (step === -1) box.focus()
}

function firstInSight(box: HTMLElement, buttons: readonly HTMLElement[]): HTMLElement | undefined {
  const { top } = box.getBoundingClientRect()
  return buttons.find(button => button.getBoundingClientRect().top >= top)
}
