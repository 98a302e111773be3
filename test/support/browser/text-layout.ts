import type { Page } from 'playwright-core';

/**
 * Finds texts of a page that stand in another order than they are written in, because a mark for the direction of text is not
 * isolated from them. What holds such a mark itself is left out.
 * @param planted the texts with marks: what stands before and behind them is looked at.
 */
export function findReordered(page: Page, planted: readonly string[]): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const planted = ${JSON.stringify(planted)};
    const marks = /[\\u202a-\\u202e\\u2066-\\u2069]/;
    const range = document.createRange();
    const placeOf = (node, index) => {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const [box] = range.getClientRects();
      return box && box.width > 0 ? { x: Math.round(box.left), y: Math.round(box.top) } : null;
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      let start = 0;
      for (const piece of node.data.split(new RegExp('(' + planted.map(RegExp.escape).join('|') + ')'))) {
        const letters = [];
        if (!marks.test(piece))
          for (let index = 0; index < Math.min(piece.length, 300); index++)
            if (/[\\w.,:?]/.test(piece[index])) letters.push(placeOf(node, start + index));
        const isWrong = letters.some((place, index) => {
          const before = letters[index - 1];
          return place && before && place.y === before.y && place.x < before.x;
        });
        if (isWrong) found.push(piece + ' (' + node.parentElement.closest('[class]')?.className + ')');
        start += piece.length;
      }
    }
    return found;
  })()`);
}

/** Finds the elements that reach beyond the right edge of the window; parts that scroll by themselves are left out. */
export function findOverflowing(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const scrolls = (element) => element && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    const isWide = (element) => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element);
    const found = [...document.querySelectorAll('body *')].filter(
      (element) => isWide(element) && ![...element.children].some(isWide),
    );
    return found.map(({ tagName, className, parentElement, textContent }) =>
      parentElement.className + ' > ' + tagName + '.' + className + ': ' + textContent.slice(0, 40));
  })()`);
}
