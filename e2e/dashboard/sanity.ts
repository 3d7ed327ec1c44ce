// What an accessibility check would find first. Runs inside the page.

/** The controls without a name, and the pictures without an alternative, each by its markup. */
export function nameless(): string[] {
  const named = (element: Element): boolean => {
    const labels =
      element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? element.labels : null
    return Boolean(
      element.getAttribute('aria-label') ||
        labels?.length ||
        element.textContent?.trim() ||
        element.getAttribute('title'),
    )
  }
  const controls = [...document.querySelectorAll('button, a[href], input:not([hidden]), select')]
  const pictures = [...document.querySelectorAll('img:not([alt])')]
  return [...controls.filter(control => !named(control)), ...pictures].map(element => element.outerHTML)
}
