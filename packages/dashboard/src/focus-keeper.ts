// Keeps the keyboard's place. When the focused element disappears, for example with a row that was deleted, browsers move the
// focus to the top of the document. This moves it to what is around the element instead.

/** The focused element and everything around it, from the inside out. */
let path: Element[] = []

export function keepFocus(): void {
  document.addEventListener('focusin', note)
  // A click may take the focus away on purpose.
  document.addEventListener('click', note, { capture: true })
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true })
}

function note(): void {
  path = []
  const focused = document.activeElement
  if (focused === document.body) return
  for (let element = focused; element; element = element.parentElement) path.push(element)
}

function restore(): void {
  if (path[0] === undefined || path[0].isConnected || document.activeElement !== document.body) return
  const around = path.find(element => element.isConnected)
  path = []
  placeIn(around)?.focus({ preventScroll: true })
}

/** A box that takes the focus, such as a log, or the heading of the section. */
function placeIn(around: Element | undefined): HTMLElement | undefined {
  const place = around?.closest<HTMLElement>('[tabindex="0"], section, dialog, main')
  if (!place || place.tabIndex === 0) return place ?? undefined
  const heading = place.querySelector<HTMLElement>('h1, h2, h3')
  if (!heading) return placeIn(place.parentElement ?? undefined)
  if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1
  return heading
}
