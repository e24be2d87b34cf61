import { ISignal, Signal } from '@lumino/signaling';

import { IBox, IBoxes } from '../../kernel/protocol';

export const ROOT = '/';

/** Which boxes of a graph are unfolded, and which one is chosen; both sides share it. */
export class Folding {
  constructor(readonly boxes: IBoxes) {
    for (const [id, box] of Object.entries(boxes)) {
      if (!box.children.length && box.op !== 'output') {
        box.nodes.forEach(name => this._home.set(name, id));
      }
    }
  }

  /** Emits when something was folded, unfolded or chosen. */
  get changed(): ISignal<this, 'folds' | 'choice'> {
    return this._changed;
  }

  get chosen(): string | null {
    return this._chosen;
  }

  isOpen(id: string): boolean {
    return this._open.has(id);
  }

  canOpen(id: string): boolean {
    return this.boxes[id].children.length > 0;
  }

  toggle(id: string): void {
    if (id === ROOT || !this.canOpen(id)) {
      return;
    }
    if (!this._open.delete(id)) {
      this._open.add(id);
    }
    this._chosen = id;
    this._changed.emit('folds');
  }

  foldAll(): void {
    this._open = new Set([ROOT]);
    this._chosen = null;
    this._changed.emit('folds');
  }

  unfoldAll(): void {
    this._open = new Set(Object.keys(this.boxes).filter(id => this.canOpen(id)));
    this._changed.emit('folds');
  }

  /** Choose a box, with all that hold it unfolded; or none. */
  choose(id: string | null): void {
    const around = id === null ? [] : this.above(id).slice(0, -1);
    const shut = around.filter(each => !this._open.has(each));
    shut.forEach(each => this._open.add(each));
    this._chosen = id;
    this._changed.emit(shut.length ? 'folds' : 'choice');
  }

  /** The box of a node of the graph. */
  home(node: string): string | undefined {
    return this._home.get(node);
  }

  /** The box and those that hold it, outermost first. */
  above(id: string): string[] {
    const found: string[] = [];
    for (let at: string | null = id; at !== null; at = this.boxes[at].parent) {
      found.unshift(at);
    }
    return found;
  }

  /** The box itself, or the outermost folded one that hides it. */
  shown(id: string): string {
    return this.above(id).find(each => !this._open.has(each)) ?? id;
  }

  /** Return the visible boxes in the order of execution, unfolded ones before their content. */
  order(id = ROOT): string[] {
    const inside = this._open.has(id) ? this.boxes[id].children : [];
    const below = inside.flatMap(child => this.order(child));
    return id === ROOT ? below : [id, ...below];
  }

  /** The boxes whose name, class, operator or path has the text in it. */
  find(text: string, most: number): string[] {
    const wanted = text.trim().toLowerCase();
    const found: string[] = [];
    const visit = (id: string) => {
      if (found.length >= most) {
        return;
      }
      const box = this.boxes[id];
      if (id !== ROOT && words(box).includes(wanted)) {
        found.push(id);
      }
      box.children.forEach(visit);
    };
    if (wanted) {
      visit(ROOT);
    }
    return found;
  }

  private _changed = new Signal<this, 'folds' | 'choice'>(this);
  private _chosen: string | null = null;
  private _home = new Map<string, string>();
  private _open = new Set([ROOT]);
}

function words(box: IBox): string {
  return [box.name, box.type, box.op, box.path, ...box.nodes].join(' ').toLowerCase();
}

/** Return the title of a box: `layer1.0 BasicBlock`, `blocks × 24 Block`. */
export function title(box: IBox): string {
  const times = box.repeat ? ` × ${box.repeat}` : '';
  return `${box.name}${times} ${box.type}`.trim();
}
