// What is wrong with the page as it is laid out now: a list of sentences.
(() => {
  const found = [];
  const root = document.documentElement;
  const named = (el) => el.tagName.toLowerCase() + (el.id ? '#' + el.id : '') + [...el.classList].map((c) => '.' + c).join('') + ' "' + (el.textContent || '').trim().slice(0, 40) + '"';
  const shown = (el) => el.checkVisibility({ checkVisibilityCSS: true }) && el.getBoundingClientRect().width > 1;

  if (root.scrollWidth > root.clientWidth) {
    const far = [...document.body.querySelectorAll('*')].filter((el) => shown(el) && el.getBoundingClientRect().right > root.clientWidth + 1);
    found.push('the page scrolls sideways: ' + far.slice(0, 3).map(named).join(', '));
  }
  const ids = new Set();
  for (const el of document.querySelectorAll('[id]')) {
    if (ids.has(el.id)) found.push('id twice: ' + el.id);
    ids.add(el.id);
  }
  const headings = document.querySelectorAll('h1').length;
  if (headings !== 1) found.push('h1: ' + headings);
  if (!document.title.trim()) found.push('no title');

  // Words that stick out of their box, or are cut off without a sign of it.
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (words.nextNode()) {
    const text = words.currentNode;
    const parent = text.parentElement;
    if (!text.textContent.trim() || !shown(parent) || parent.closest('svg, script, option, .visually-hidden, .skip-link')) continue;
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    if (!box.width) continue;
    let beyond = null;
    for (let up = parent; up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.display === 'inline' || style.display === 'contents') continue;
      const outer = up.getBoundingClientRect();
      if (!beyond && (box.right > outer.right + 1 || box.left < outer.left - 1)) beyond = up;
      if (style.overflowX === 'visible') continue;
      if (beyond && style.overflowX !== 'auto' && style.overflowX !== 'scroll' && style.textOverflow !== 'ellipsis') found.push('cut off: ' + named(parent) + ' in ' + named(up));
      beyond = null;
      break;
    }
    if (beyond) found.push('sticks out: ' + named(parent) + ' of ' + named(beyond));
    // Ids are for programs: people see names, and ids only where they can be copied.
    if (/\b[a-z]{2,12}_[A-Za-z0-9]{16,}\b/.test(text.textContent) && !parent.closest('code, pre, textarea, .id, details')) {
      found.push('an id in place of a name: ' + named(parent));
    }
  }
  for (const panel of document.querySelectorAll('.panel + .panel')) {
    const above = panel.previousElementSibling.getBoundingClientRect().bottom;
    const at = panel.getBoundingClientRect().top;
    if (shown(panel) && at > above - 1 && at < above + 4) found.push('no room above: ' + named(panel));
  }
  return found;
})()
