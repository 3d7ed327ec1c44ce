// Tooltips. An element with `data-tip` shows that text on hover and on keyboard focus; with `data-tip-cut`, only if its own text
// is cut off. Escape closes the tooltip. The pointer may move onto it.
import styles from './tooltips.module.css'

/** The pointer has to rest this long on an element. A tooltip that is open already moves on at once. */
const restMs = 350
/** The tooltip stays this long after the pointer has left, so that the pointer can reach it. */
const leaveMs = 120
const gapPx = 6
const edgePx = 8

let shownFor: HTMLElement | undefined
/** Whether the person moves through the page. The focus also moves by itself, for example into a dialog that opens. */
let isTabbing = false
/** Whether the pointer has not moved since the last Tab. Browsers also report a pointer that rests, when the page moves below it. */
let pointerRests = false
let timer: ReturnType<typeof setTimeout> | undefined
const box = document.createElement('div')

export function startTooltips(): void {
  box.id = 'tooltip'
  box.className = styles.tooltip ?? ''
  box.role = 'tooltip'
  box.popover = 'manual'
  document.addEventListener('pointerover', onPointer)
  document.addEventListener('pointermove', event => {
    if (!pointerRests) return
    pointerRests = false
    onPointer(event)
  })
  document.addEventListener('focusin', ({ target }) => {
    const described = describedBy(target)
    if (described && isTabbing) show(described)
  })
  document.addEventListener('focusout', hide)
  document.addEventListener('pointerdown', hide)
  document.addEventListener('scroll', onScroll, { capture: true, passive: true })
  document.addEventListener(
    'keydown',
    ({ key }) => {
      isTabbing = key === 'Tab'
      if (isTabbing) pointerRests = true
      if (key === 'Escape') hide()
    },
    { capture: true },
  )
}

/** The browser scrolls to what gets the focus. */
function onScroll(): void {
  if (shownFor && pointerRests) place(shownFor.getBoundingClientRect())
  else hide()
}

function onPointer({ target, pointerType }: PointerEvent): void {
  if (pointerRests) return
  if (target === box) {
    clearTimeout(timer)
    return
  }
  const described = describedBy(target)
  if (described === shownFor) {
    clearTimeout(timer)
    return
  }
  if (described === undefined) later(hide, leaveMs)
  // A tap on a control acts. A tooltip would stay behind.
  else if (pointerType !== 'touch' || !described.matches('a, button'))
    later(() => show(described), shownFor ? 0 : restMs)
}

function later(callback: () => void, ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(callback, ms)
}

function describedBy(target: EventTarget | null): HTMLElement | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null
  if (!element) return undefined
  const isNeeded = element.dataset.tipCut === undefined || element.scrollWidth > element.clientWidth
  return isNeeded ? element : undefined
}

function show(element: HTMLElement): void {
  hide()
  const text = element.dataset.tip
  if (!text || !element.isConnected) return
  shownFor = element
  box.textContent = text
  // Outside an open dialog, everything is inert.
  const parent = element.closest('dialog') ?? document.body
  parent.append(box)
  box.showPopover()
  place(element.getBoundingClientRect())
  // Screen readers have read the text already if it is the name.
  if (text !== element.ariaLabel && text !== element.textContent)
    element.setAttribute('aria-describedby', box.id)
}

function hide(): void {
  clearTimeout(timer)
  shownFor?.removeAttribute('aria-describedby')
  shownFor = undefined
  box.remove()
}

/** Above the element, or below it if there is no room. Never beyond the screen. */
function place({ top, bottom, left, width }: DOMRect): void {
  const { width: own, height } = box.getBoundingClientRect()
  const above = top - gapPx - height
  const most = document.documentElement.clientWidth - own - edgePx
  box.style.top = `${above >= edgePx ? above : bottom + gapPx}px`
  box.style.left = `${Math.max(edgePx, Math.min(most, left + (width - own) / 2))}px`
}
