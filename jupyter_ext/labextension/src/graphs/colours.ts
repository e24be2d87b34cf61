import { IPair, Verdict } from '../kernel/protocol';
import { IKey, TARGET, TORCH, VERDICTS, VERDICT_KEYS, mix } from './modules/paint';

/** The meaning of the colours of two graphs side by side. */
export type Colouring = 'kind' | 'difference' | 'time' | 'place';

export const COLOURINGS: Record<Colouring, string> = {
  difference: 'Difference',
  time: 'Time',
  place: 'Where it runs',
  kind: 'Kind of layer'
};

const WORST: Verdict[] = ['different', 'unknown', 'rounding', 'same'];

/** Return the colours with their meaning, for the legend. */
export function legend(colouring: Colouring, target: string): IKey[] {
  switch (colouring) {
    case 'difference':
      return VERDICT_KEYS.map(([colour, text]) => ({ colour, text }));
    case 'time':
      return [
        { colour: mix(0), text: 'quick' },
        { colour: mix(1), text: 'takes longest' }
      ];
    case 'place':
      return [
        { colour: TARGET, text: target },
        { colour: TORCH, text: 'torch' }
      ];
    case 'kind':
      return [];
  }
}

/**
 * The colour of each node by its name; null leaves them as Netron has them.
 *
 * `side` chooses whose times are shown.
 */
export function colours(
  pair: IPair,
  colouring: Colouring,
  side: 'torch' | 'target'
): Map<string, string> | null {
  if (colouring === 'kind') {
    return null;
  }
  const found = new Map<string, string>();
  const time = (name: string) => {
    const row = pair.rows[name];
    return row ? (side === 'torch' ? row.torchMs : row.targetMs) : 0;
  };
  const longest = Math.max(...Object.keys(pair.rows).map(time), 1e-9);
  const inTorch = new Set(
    Object.values(pair.islands).flatMap(island => island.nodes)
  );
  for (const name of Object.keys(pair.nodes)) {
    if (colouring === 'difference') {
      found.set(name, VERDICTS[verdictOf(pair, name)][0]);
    } else if (colouring === 'time') {
      found.set(name, mix(time(name) / longest));
    } else {
      found.set(name, inTorch.has(name) ? TORCH : TARGET);
    }
  }
  // An island has the worst result of its nodes, the sum of their times, and runs in torch.
  for (const [name, island] of Object.entries(pair.islands)) {
    if (colouring === 'difference') {
      const verdicts = island.nodes.map(node => verdictOf(pair, node));
      const worst = WORST.find(verdict => verdicts.includes(verdict));
      found.set(name, VERDICTS[worst ?? 'unknown'][0]);
    } else if (colouring === 'time') {
      const sum = island.nodes.reduce((total, node) => total + time(node), 0);
      found.set(name, mix(Math.min(sum / longest, 1)));
    } else {
      found.set(name, TORCH);
    }
  }
  return found;
}

function verdictOf(pair: IPair, name: string): Verdict {
  const row = pair.rows[name];
  if (!row || (row.equal && row.random)) {
    return 'unknown';
  }
  return !row.equal ? 'different' : row.difference === 0 ? 'same' : 'rounding';
}
