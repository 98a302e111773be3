// Relative links begin at the base of the page, so that this is the service wherever it is mounted.
const response = await fetch('../readyz');
const { reason } = await response.json();
document.querySelector('h1').textContent = response.ok ? 'Ready' : `Not ready: ${reason}`;
