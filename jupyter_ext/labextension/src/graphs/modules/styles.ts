import cytoscape from 'cytoscape';

const SIZE = 12;
const FAMILY = 'Segoe UI, Helvetica, Arial, sans-serif';

const pen = document.createElement('canvas').getContext('2d')!;
const widths = new Map<string, number>();

/** How wide a line of text is in a box, in the graph's units. */
export function widthOf(text: string, bold = false): number {
  const font = `${bold ? 'bold ' : ''}${SIZE}px ${FAMILY}`;
  const key = `${font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen.font = font;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** How boxes and lines look in a theme. */
export function styles(dark: boolean): cytoscape.StylesheetJson {
  const ink = dark ? '#e6e6e6' : '#1f2328';
  const line = dark ? '#8b949e' : '#8a919a';
  return [
    {
      selector: 'node',
      style: {
        shape: 'round-rectangle',
        width: 'data(width)',
        height: 'data(height)',
        label: 'data(label)',
        'font-family': FAMILY,
        'font-size': SIZE,
        'text-wrap': 'wrap',
        'text-max-width': '2000px',
        'text-valign': 'center',
        'line-height': 1.25,
        'min-zoomed-font-size': 5,
        'background-color': 'data(colour)',
        color: '#ffffff',
        'z-index-compare': 'manual',
        'z-index': 'data(depth)' as unknown as number,
        'overlay-opacity': 0
      }
    },
    {
      selector: 'node.open',
      style: {
        'background-color': dark ? '#ffffff' : '#000000',
        'background-opacity': 0.05,
        'border-width': 2,
        'border-color': 'data(colour)',
        color: ink,
        // Lines into the box pass behind its name.
        'text-background-color': dark ? '#1b1b1b' : '#f4f4f4',
        'text-background-opacity': 0.9,
        'text-background-padding': '2px',
        'text-halign': 'left',
        'text-margin-x': 'data(inset)' as unknown as number,
        'text-valign': 'top',
        'text-margin-y': 22,
        'font-weight': 'bold'
      }
    },
    {
      // A second card looks out from behind.
      selector: 'node.stack',
      style: { ghost: 'yes', 'ghost-offset-x': 5, 'ghost-offset-y': 5, 'ghost-opacity': 0.5 }
    },
    {
      selector: 'node.chosen',
      style: { 'outline-width': 3, 'outline-color': '#f9a825', 'outline-offset': 1 }
    },
    {
      selector: 'edge',
      style: {
        width: 1.5,
        'line-color': line,
        'target-arrow-color': line,
        'target-arrow-shape': 'triangle',
        'arrow-scale': 0.8,
        'curve-style': 'straight',
        'z-index-compare': 'manual',
        'z-index': 0,
        events: 'no',
        'overlay-opacity': 0
      }
    },
    {
      selector: 'edge[?weights]',
      style: {
        'curve-style': 'round-segments' as 'segments',
        'segment-weights': 'data(weights)' as unknown as number[],
        'segment-distances': 'data(distances)' as unknown as number[],
        'edge-distances': 'node-position'
      }
    }
  ];
}
