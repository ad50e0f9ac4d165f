// Everything works without this script: it makes pages quicker to use.
'use strict';

const typing = (el) => el && (/^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName) || el.isContentEditable);
const go = { h: '', c: '/customers', s: '/subscriptions', i: '/invoices', p: '/plans', m: '/metrics', e: '/events', a: '/alerts', w: '/webhooks', k: '/keys' };
let pending = false;

document.addEventListener('keydown', (e) => {
  if (e.metaKey || e.ctrlKey || e.altKey || typing(e.target)) return;
  if (e.key === '/') {
    const box = [...document.querySelectorAll('main [type=search], .quick-search [type=search]')].find((el) => el.offsetParent);
    e.preventDefault();
    if (box) { box.focus(); box.select(); } else { location.href = '/console/search'; }
  } else if (pending && e.key in go) {
    location.href = '/console' + go[e.key];
  } else if (e.key === 'j' || e.key === 'k') {
    const rows = [...document.querySelectorAll('.row-link')];
    const at = rows.indexOf(document.activeElement) + (e.key === 'j' ? 1 : -1);
    if (rows[at]) rows[at].focus();
  }
  pending = e.key === 'g';
});

document.addEventListener('click', async (e) => {
  const copy = e.target.closest('[data-copy]');
  if (!copy) return;
  await navigator.clipboard.writeText(copy.dataset.copy);
  copy.setAttribute('aria-label', 'Copied');
});

// A choice that decides which fields follow: the server makes the form with those fields.
document.addEventListener('change', (e) => {
  const choice = e.target.closest('[data-variants]');
  if (choice) choice.form.querySelector('[data-choose]').click();
});

// A toast goes by itself, and does not come back with the page.
const toast = document.querySelector('.toast');
if (toast) {
  setTimeout(() => toast.remove(), 6000);
  const url = new URL(location.href);
  url.searchParams.delete('done');
  history.replaceState(null, '', url);
}
