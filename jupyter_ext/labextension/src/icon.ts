import { LabIcon } from '@jupyterlab/ui-components';

/** A flame on a hull: torch on a ferry. */
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <path d="M12.2 2c.5 2.6 3.8 4.1 3.8 7.5a4 4 0 0 1-8 0c0-1.5.7-2.6 1.5-3.5.2 1 .7 1.6 1.3 1.9C10.5 5.7 11 3.5 12.2 2z"/>
    <path d="M2.5 15h19l-2.7 4.6c-.2.3-.5.4-.8.4H6c-.3 0-.6-.2-.8-.4z"/>
    <path d="M2 21.8c1.7 0 1.7-.8 3.3-.8s1.7.8 3.4.8 1.6-.8 3.3-.8 1.7.8 3.3.8 1.7-.8 3.4-.8 1.6.8 3.3.8v1.4c-1.7 0-1.7-.8-3.3-.8s-1.7.8-3.4.8-1.6-.8-3.3-.8-1.7.8-3.3.8-1.7-.8-3.4-.8-1.6.8-3.3.8z"/>
  </g>
</svg>`;

export const ferryIcon = new LabIcon({ name: 'torchferry:ferry', svgstr: svg });
