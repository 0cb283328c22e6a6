#!/usr/bin/env python3
"""Train the simulator's tokenizer: byte-level BPE with the special tokens of ChatML, on text that this script makes itself.

usage: pip install tokenizers==0.23.3 && python3 train.py [OUT]      (OUT defaults to the module's resource)

The corpus is prose from word lists and sentence frames, JSON, Python, Java, shell and tool-call text, all from one seeded generator,
so that two runs write the same bytes. A line break is always a token by itself: the chat template puts one before each message's text,
which must not join it, or the prompt of a next turn would differ in ids that nobody sampled. Other scripts and emoji are left to the
byte fallback on purpose: characters then span several tokens, as they do in real vocabularies.
"""
import json
import os
import random
import sys

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

VOCABULARY = 6144
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|image_pad|>"]
HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT_OUT = os.path.join(HERE, "..", "src", "main", "resources", "dev", "polar", "sim", "tokenizer.json")

NOUNS = """account action address agent amount animal answer apple area argument army array article artist author baby back ball bank base basket battle
beach bear bed bell bench bird block board boat body book border bottle bottom box branch bread brick bridge brother buffer building bus button byte cache cake
calculator call camera camp capital car card case castle cat cause cell center chain chair chance change character check child choice church circle city class
clock cloud coat code coffee color column command comment company computer condition content context copy corner cost cotton country course cover crowd cup
customer cycle dance data date daughter day deal death decision degree desk detail device dictionary difference dinner direction directory discount doctor document
dog door dream dress driver duck ear earth edge editor effect egg element engine entry environment error event example exception exercise expression eye face fact
factory family farm father feature field figure file filter finger fire fish flag floor flower folder food foot forest form format frame friend fruit function future
game garden gate gateway girl glass goal gold government grade grain graph grass group guard guess guest hair half hand handle hat head health heart height history
hole home horse hospital hotel hour house idea image index industry input instance instruction integer interest island issue item job journey judge key king
kitchen knife label lake land language law leader leaf length lesson letter level library light limit line link lion list loop lunch machine mail manager map mark
market master match matter meal meaning measure memory message metal method middle mile milk mind minute mirror mistake model module moment money month moon morning
mother mountain mouse mouth museum music name nation nature neck network news night node noise north nose note number object ocean offer office oil operation option
orange order outcome output owner package page pair paper parent park parser part party patch path pattern peace pen people permission person phone picture piece
pipe place plan plane plant plate player pocket poem point policy pool port position power present president price problem process product program project prompt
property proof purpose query question queue rain range rate reason record region report request resource response rest result return reward rice ring river road
rock role roof room root rope row rule runtime sale salt sample sand scale scene school science score screen script sea search season seat second section seed
sentence sequence server service session shape share sheep ship shirt shoe shop shoulder side sign signal silver sister size skill skin sky sleep snow society
software soil solution son song sound source south space speech speed spring square stage stand star start state station status step stone stop store storm story
stream street string student style subject success sugar summer sun surface system table tail target task teacher team temperature term test text theory thing
thought thread time title token tool top total tower town trace track trade train trainer travel tree trial trip truth turn type uncle unit update user valley
value variable version view village voice wall war water wave way weather week weight west wheel width wife wind window wine winter woman wood word work worker
world writer year zone""".split()
VERBS = """accept add adjust agree allow answer appear apply arrive ask assume attach avoid begin believe belong break bring build call carry catch change check
choose clean clear close collect come compare complete compute connect consider contain continue convert copy count cover create cut decide define delete depend
describe design destroy discover discuss divide draw drink drive drop eat edit enable end enter evaluate examine expect explain extend fail fall feel fight fill
filter find finish fix fly follow forget format gather generate get give go grow guess handle happen hear help hold hope identify ignore imagine implement import
improve include increase insert install join jump keep kill know laugh launch lead learn leave listen live load look lose love make manage mark match measure meet
merge mix move multiply need notice observe obtain offer open order organize parse pass pause pay perform pick place plan play point prefer prepare print process
produce protect provide pull push put raise reach read receive record reduce refer refuse remain remember remove render repeat replace reply report represent request
require resolve return review rise run save say search see select sell send separate serve set share show sit skip sleep solve sort speak split spend stand start
stay stop store study submit subtract succeed suggest supply support swim take talk teach tell test think throw touch train translate travel treat try turn
understand update use verify visit wait walk want warn wash watch wear win wish work worry wrap write""".split()
ADJECTIVES = """able active actual angry available bad basic beautiful better big bitter black blue bright broken brown busy calm careful central certain cheap
clean clear clever close cold common complete complex cool correct current dark dead dear deep different difficult dry early easy empty equal exact excellent
expensive false famous far fast fat few final fine first flat free fresh friendly front full general gentle good great green half happy hard heavy high honest hot
huge important impossible inner invalid known large last late lazy left light likely little local long loud low main major many minor missing modern narrow natural
near necessary new next nice normal old only open other outer perfect plain pleasant poor popular possible present pretty previous private proper proud public pure
quick quiet rare raw ready real recent red rich right rough round sad safe same second separate serious several shallow sharp short sick silent simple single slow
small smooth soft special square standard steady strange strong sudden sure sweet tall thick thin tiny tired total true typical unique unknown useful usual valid
various warm weak wet white whole wide wild wise wooden wrong yellow young""".split()
ADVERBS = """again ahead almost already also always away carefully certainly clearly correctly early easily enough even exactly finally first here immediately
indeed instead just later maybe merely mostly near nearly never now often once only outside perhaps quickly quietly quite rarely really simply slowly sometimes soon
still suddenly then there therefore today together tomorrow too twice usually very well yesterday""".split()
NAMES = """Alice Bob Carol David Emma Frank Grace Henry Iris Jack Karen Leo Maria Nora Oscar Paul Quinn Rosa Sam Tina Victor Wendy Paris France London Berlin
Germany Rome Italy Madrid Spain Tokyo Japan China India Brazil Canada Africa Europe America Monday Tuesday Wednesday Thursday Friday Saturday Sunday January
February March April June July August September October November December Python Java Linux Markdown""".split()
FRAMES = """The {a} {n} {v}s the {n2} {d}.|The {n} of the {n2} is {a}.|{N} and {N2} {v} the {a} {n} together.|I will {v} the {n} and then {v2} the {n2}.
You should {v} it before you {v2} the {n}.|Let me {v} the {n} first.|We need to {v} every {n} in the {n2}.|There is a {a} {n} near the {a2} {n2}.
It was {a}, but the {n} did not {v}.|Do you want to {v} the {n}?|What is the {n} of {N}?|The capital of {N} is {N2}.|Sure, here is the {a} {n}.
I have {v}ed the {n}, and now all of the {n2}s are {a}.|When the {n} is {a}, the {n2} can {v} {d}.|That {n} is not {a}; it is {a2}.|Please {v} the {n} with the {n2}.
She {v}ed {d} because her {n} was {a}.|They are {v}ing their {n} at the {n2}.|If this {n} fails, {v} another {n2} or {v2} the whole {n}.
He would have {v}ed more {n}s than {N} could {v2}.|My {n} has {i} {n2}s and {i2} of them are {a}.|In {i} it took {i2} minutes to {v} from {N} to {N2}.
As far as I can see, nothing {v}s the {n} without the {a} {n2}.|"You may {v} my {n}," said {N}, "but don't {v2} it."|It's {a}, isn't it? We can't {v} what they've {v2}ed.
Here are three {a} {n}s: the {n2}, the {a2} {n}, and {N}'s {n2}.|To {v} a {n}, you have to {v2} the {n2} {d}.|# {a} {n}s|- {v} the {n}|- {n}: {a} {n2}|1. {v} the {n}|## {n} and {n2}
**{n}**: {v} the `{n}_{n2}` in `{n}.py`.|Now I understand the {n}. The {n2} in {n}/{n2}.py must {v} the {a} {n}.|All {i} tests passed.|The file has been updated successfully.
The {n} failed with an error: {n} not found.|You are a helpful assistant that can {v} {n}s.|This one was {a}; those were {a2}, and each of us knew which.|Thank you very much!"""
WORDS_OF_CODE = """args assert async await bool break bytes cat cd class const continue def del dict echo elif else enum except export extends false final finally float for
from function git global grep if import in int interface is lambda len let list ls map mkdir new None null not open or package pass pip print private protected
public python3 raise range record return self set static str string super switch this throw true True False try tuple type var void while with yield""".split()
KEYS = """id name type city path content command description file_path old_string new_string arguments query url timeout result status error message role user
assistant system tool tool_calls function parameters properties required string integer boolean object array items enum default title value values count limit offset
model messages choices index usage created data text line lines start end pattern output input units language""".split()


class Writer:
    """Makes lines of each kind; every draw comes from one generator."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, words):
        """Early picks are the frequent ones, as in real text: a squared uniform draw over a fixed shuffle."""
        return words[int(len(words) * self.random.random() ** 1.3)]

    def sentence(self):
        frame = self.random.choice(FRAMES.replace("\n", "|").split("|"))
        fields = {"n": NOUNS, "n2": NOUNS, "v": VERBS, "v2": VERBS, "a": ADJECTIVES, "a2": ADJECTIVES, "d": ADVERBS, "N": NAMES, "N2": NAMES}
        made = {key: self.pick(words) for key, words in fields.items()}
        text = frame.format(**made, i=self.random.randint(0, 2400), i2=self.random.randint(2, 99))
        return text[0].upper() + text[1:]

    def paragraph(self):
        return " ".join(self.sentence() for _ in range(self.random.randint(1, 6)))

    def identifier(self):
        return self.random.choice(["_", ""]).join(self.pick(NOUNS + VERBS) for _ in range(self.random.randint(1, 2)))

    def value(self, depth=0):
        kind = self.random.randint(0, 6 if depth < 2 else 3)
        if kind == 0:
            return self.random.choice([True, False, None])
        if kind == 1:
            return self.random.randint(0, 9999)
        if kind in (2, 3):
            return self.random.choice([self.pick(NOUNS), self.sentence(), f"{self.identifier()}.py", f"/{self.identifier()}/{self.identifier()}"])
        if kind == 4:
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 4))]
        return {self.pick(KEYS): self.value(depth + 1) for _ in range(self.random.randint(1, 4))}

    def json(self):
        spaced = self.random.choice([None, 2, 4])
        separators = self.random.choice([None, (",", ":")]) if spaced is None else None
        return json.dumps(self.value(), indent=spaced, separators=separators)

    def tool_call(self):
        arguments = {self.pick(KEYS): self.value(1) for _ in range(self.random.randint(1, 3))}
        call = json.dumps({"name": self.identifier(), "arguments": arguments})
        return self.random.choice([f"<tool_call>\n{call}\n</tool_call>", f"<tool_response>\n{self.sentence()}\n</tool_response>",
                                   f"<think>\n{self.paragraph()}\n</think>\n\n{self.sentence()}",
                                   '{"type": "function", "function": {"name": "%s", "description": "%s", "parameters": {"type": "object", "properties": {"%s": {"type": "string"}}, "required": ["%s"]}}}'
                                   % (self.identifier(), self.sentence().replace('"', "'"), self.pick(KEYS), self.pick(KEYS))])

    def python(self):
        name, a, b = self.identifier(), self.pick(NOUNS), self.pick(NOUNS)
        return (f"import {self.pick(NOUNS)}\n\n\ndef {name}(self, {a}, {b}={self.random.randint(0, 20)}):\n    \"\"\"{self.sentence()}\"\"\"\n"
                f"    for {a} in range(len({b})):\n        if {a} is not None and {b}[{a}] == {self.random.randint(0, 9)}:\n            raise ValueError(f\"{self.sentence().replace(chr(34), '')}\")\n"
                f"        {self.identifier()} = {a} + {b} * 2\n    return {self.pick(WORDS_OF_CODE)}\n\nassert {name}({a}, 3) == {self.random.randint(0, 99)}\nprint({name})\n")

    def java(self):
        name, a = self.identifier().title().replace("_", ""), self.pick(NOUNS)
        return (f"public final class {name} {{\n    private final String {a};\n\n    public static int {self.pick(VERBS)}{name}(List<String> {a}s) {{\n"
                f"        return {a}s.size() > {self.random.randint(0, 9)} ? this.{a} : null; // {self.sentence()}\n    }}\n}}\n")

    def shell(self):
        return self.random.choice([
            f"$ cd /{self.identifier()} && ls -la {self.identifier()}.txt | grep -n \"{self.pick(NOUNS)}\"", f"python3 -m unittest test_{self.identifier()}.py -v",
            f"git commit -m \"{self.sentence()}\"", f"sed -n '{self.random.randint(1, 50)},100p' src/{self.identifier()}.java", f"{self.pick(WORDS_OF_CODE)} {self.pick(WORDS_OF_CODE)} {self.pick(NOUNS)}",
            f"https://www.{self.pick(NOUNS)}.com/{self.identifier()}?{self.pick(KEYS)}={self.random.randint(0, 99)}", f"Traceback (most recent call last):\n  File \"/{self.identifier()}.py\", line {self.random.randint(1, 300)}, in {self.identifier()}"])

    def lines(self, count):
        kinds = [self.paragraph, self.paragraph, self.paragraph, self.json, self.tool_call, self.python, self.java, self.shell]
        for _ in range(count):
            yield self.random.choice(kinds)() + "\n"


def main(out):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split("\n", "isolated"), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=[AddedToken(text, special=True, normalized=False) for text in SPECIAL],
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    tokenizer.train_from_iterator(Writer(20260101).lines(40000), trainer)
    text = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{out}: {tokenizer.get_vocab_size()} tokens, {len(text.encode()) / 1000:.0f} KB")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_OUT)
